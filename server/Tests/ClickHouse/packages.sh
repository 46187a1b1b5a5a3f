# Gets ClickHouse; a part of Scripts/clickhouse.

# ClickHouse 18.16 and what a Debian 12 may lack of its libraries; ZooKeeper as far as a single server needs it, and its Java unless
# there is one.
clickhouse_packages=(clickhouse-server clickhouse-common libboost-filesystem1.74.0 libboost-program-options1.74.0 libcapnp-0.9.2
  libcctz2 libcpuinfo0 libdouble-conversion3 libexpat1 libfarmhash0 libicu72 libjemalloc2 libltdl7 liblz4-1 libmariadb3 libmetrohash1
  libodbc2 libpcre3 libpococrypto80 libpocodata80 libpocodataodbc80 libpocofoundation80 libpocojson80 libpocomongodb80 libpoconet80
  libpoconetssl80 libpocoutil80 libpocoxml80 librdkafka1 libre2-9 libsasl2-2 libssl3 libzstd1)
zookeeper_packages=(libzookeeper-java libslf4j-java libnetty-java libsnappy-java libdropwizard-metrics-java)
zookeeper_jars=(zookeeper zookeeper-jute slf4j-api slf4j-simple netty-common netty-handler netty-transport netty-buffer snappy-java
  metrics-core)

# install_packages: downloads and unpacks what isn't there, and sets `unpacked`, `libraries`, `java` and `python`.
install_packages() {
  local cache=${TERN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tern} absent
  local list=("${clickhouse_packages[@]}" "${zookeeper_packages[@]}")
  java=$(command -v java) || list+=(openjdk-17-jre-headless)
  unpacked="$cache/clickhouse"
  mkdir -p "$cache"
  # One after the other: clones share the folder.
  exec 8>"$cache/lock"
  flock 8
  [ "${list[*]}" = "$(cat "$unpacked/packages" 2>/dev/null)" ] || unpack_packages "${list[@]}"
  python=$(python_environment "$cache/clickhouse-python" clickhouse-requirements.txt)/python
  exec 8>&-
  [ -n "$java" ] || java=$(echo "$unpacked"/usr/lib/jvm/java-17-*/bin/java)
  libraries=$(echo "$unpacked"/usr/lib/*-linux-gnu):$(echo "$unpacked"/lib/*-linux-gnu)
  absent=$(LD_LIBRARY_PATH="$libraries" ldd "$unpacked/usr/sbin/clickhouse-server" | awk '/not found/ { print $1 }' | sort -u | xargs)
  [ -z "$absent" ] || fail "ClickHouse 18.16 needs libraries that this system lacks: $absent. It runs on Debian 12."
}

# unpack_packages PACKAGES…: downloads them and replaces the folder `unpacked` by their files.
unpack_packages() {
  local new="$unpacked.new" archive link
  say "downloading ClickHouse 18.16 and ZooKeeper"
  rm -rf "$new"
  mkdir -p "$new/archives"
  if ! download_packages "$new" "$@" 2>/dev/null; then
    # An outdated list of packages is the usual reason. The system's own can be refreshed by root only.
    local apt=(-o "Dir::State::Lists=$new/lists" -o "Dir::Cache=$new/apt" -o APT::Sandbox::User=root)
    say "getting a list of Debian's packages"
    mkdir -p "$new/lists/partial" "$new/apt"
    apt-get -qq "${apt[@]}" update >&2 && download_packages "$new" "${apt[@]}" "$@" \
      || fail "Couldn't download Debian 12's packages. Check the network and the settings of apt."
  fi
  for archive in "$new/archives"/*.deb; do dpkg -x "$archive" "$new"; done
  rm -rf "$new/archives" "$new/lists" "$new/apt" "$new/usr/share/doc" "$new/usr/share/maven-repo"
  # Links to other places of the system, such as those of Java to its settings, stay inside.
  find "$new" -type l -lname '/*' -print0 | while read -r -d '' link; do ln -snfr "$new$(readlink "$link")" "$link"; done
  echo "$*" >"$new/packages"
  rm -rf "$unpacked"
  mv "$new" "$unpacked"
}

# download_packages FOLDER ARGUMENTS…: downloads packages into the folder's archives.
download_packages() { (cd "$1/archives" && apt-get download -qq -o APT::Sandbox::User=root "${@:2}" >&2); }
