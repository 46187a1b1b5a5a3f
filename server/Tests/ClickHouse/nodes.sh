# Starts, watches and ends the processes; a part of Scripts/clickhouse. `folder`, `port` and `password` say of which cluster.

# In the order in which they start.
nodes=(zookeeper modern s1r1 s1r2 s2r1 s2r2)

# port_of NODE: prints the port at which it answers. Others: TCP (4 to 7 after the first), replication (8 to 11), TLS of s1r1 (12).
port_of() {
  case "$1" in
    s1r1) echo "$port" ;; s1r2) echo $((port + 1)) ;; s2r1) echo $((port + 2)) ;; s2r2) echo $((port + 3)) ;;
    modern) echo $((port + 13)) ;; zookeeper) echo $((port + 14)) ;;
  esac
}

# ask PORT TEXT: sends it and prints what comes back within two seconds.
ask() {
  timeout 2 bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "$2" >&3 && cat <&3' - "$1" "$2" 2>/dev/null
}

answers() {
  case "$1" in
    # Not `ruok`, which it answers before it serves; 18.16 crashes at its first statement ON CLUSTER if it is refused when it starts.
    zookeeper) [[ "$(ask "$(port_of "$1")" srvr)" == *Mode:* ]] ;;
    *) [[ "$(ask "$(port_of "$1")" 'GET /ping HTTP/1.0\r\n\r\n')" == *Ok.* ]] && has_tables "$1" ;;
  esac
}

# has_tables NODE: 18.16 answers before it has loaded its tables, and then says that they don't exist.
has_tables() {
  local files=("$folder/$1"/data/metadata/default/*.sql)
  [ -e "${files[0]}" ] || return 0
  local query="GET /?query=SELECT+count()+FROM+system.tables+WHERE+database=%%27default%%27 HTTP/1.0"
  local found
  found=$(ask "$(port_of "$1")" "$query\\r\\nX-ClickHouse-User: tern\\r\\nX-ClickHouse-Key: $password\\r\\n\\r\\n" | tail -n 1)
  [ "${found:-0}" -ge ${#files[@]} ] 2>/dev/null
}

require_free_ports() {
  local number
  for number in $(seq "$port" $((port + 14))); do
    ! (exec 3<>"/dev/tcp/127.0.0.1/$number") 2>/dev/null || fail \
      "Port $number is taken. Choose 15 free ports with TERN_CLICKHOUSE_PORT, which is the first of them; now it is $port."
  done
}

# birth PID: prints when a process started, which tells it from a later one with its number.
birth() { sed -E 's/.*\) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

pid_of() { cut -d' ' -f1 "$folder/$1/pid" 2>/dev/null; }

# runs NODE: whether the process that was started for the node still runs.
runs() {
  local pid born
  read -r pid born 2>/dev/null <"$folder/$1/pid" && [ "$(birth "$pid")" = "$born" ] && ! grep -qs '^State:.*Z' "/proc/$pid/status"
}

signal_node() { ! runs "$2" || kill "-$1" "$(pid_of "$2")" 2>/dev/null || true; }

# wait_end NODE SECONDS: fails if it still runs then.
wait_end() {
  local until=$((SECONDS + $2))
  while runs "$1"; do
    [ $SECONDS -lt $until ] || return 1
    sleep 0.1
  done
}

# end_nodes NODES…: asks them to end, and kills after ten seconds.
end_nodes() {
  local node
  for node in "$@"; do signal_node TERM "$node"; done
  for node in "$@"; do
    if ! wait_end "$node" 10; then
      say "$node does not end, so it is killed"
      signal_node KILL "$node"
      wait_end "$node" 5 || fail "$node (process $(pid_of "$node")) did not end."
    fi
  done
}

write_certificates() {
  local tls="$folder/tls"
  mkdir "$tls"
  {
    openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj "/CN=CA of Tern's tests" -keyout "$tls/ca.key" -out "$tls/ca.pem" \
      -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign
    openssl req -newkey rsa:2048 -nodes -subj "/CN=localhost" -keyout "$tls/server.key" -out "$tls/server.csr"
    openssl x509 -req -in "$tls/server.csr" -days 30 -CA "$tls/ca.pem" -CAkey "$tls/ca.key" -set_serial 1 -out "$tls/server.pem" \
      -extfile <(printf 'subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n')
  } >"$tls/log" 2>&1 || fail "openssl couldn't make certificates: $(tail -n 3 "$tls/log")"
  rm "$tls/ca.key" "$tls/server.csr"
}

write_settings() {
  local index node https replica
  write_certificates
  for node in "${nodes[@]}"; do mkdir "$folder/$node"; done
  cat >"$folder/zookeeper/zoo.cfg" <<END
tickTime=500
dataDir=$folder/zookeeper/data
clientPort=$((port + 14))
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=srvr
END
  replica=()
  for index in 0 1 2 3; do
    replica+=("<replica><host>127.0.0.1</host><port>$((port + 4 + index))</port><user>tern</user><password>$password</password></replica>")
  done
  for index in 0 1 2 3; do
    node=${nodes[index + 2]}
    https=""
    [ $index -gt 0 ] || https="<https_port>$((port + 12))</https_port>"
    sed -e "s|@FOLDER@|$folder|; s|@NODE@|$node|; s|@SHARD@|$((index / 2 + 1))|; s|@HTTP@|$((port + index))|; s|@HTTPS@|$https|
      s|@TCP@|$((port + 4 + index))|; s|@INTERSERVER@|$((port + 8 + index))|; s|@ZOOKEEPER@|$((port + 14))|
      s|@SHARD1@|${replica[0]}${replica[1]}|; s|@SHARD2@|${replica[2]}${replica[3]}|" "$files/server.xml" >"$folder/$node/config.xml"
    sed "s|@PASSWORD@|$password|g" "$files/users.xml" >"$folder/$node/users.xml"
  done
}

# start_node NODE: starts its process, in a session of its own, so that ctrl-C in the terminal doesn't end it.
start_node() {
  local node=$1 jars program
  case "$node" in
    zookeeper)
      printf -v jars "$unpacked/usr/share/java/%s.jar:" "${zookeeper_jars[@]}"
      program=("$java" -Xmx128m -XX:+UseSerialGC -cp "$jars" org.apache.zookeeper.server.ZooKeeperServerMain "$folder/zookeeper/zoo.cfg")
      ;;
    modern)
      program=(env TERN_CLICKHOUSE_USER=tern "TERN_CLICKHOUSE_PASSWORD=$password" PYTHONDONTWRITEBYTECODE=1
        "$python" "$files/modern.py" "$((port + 13))" "$folder/modern")
      ;;
    *) program=(env "LD_LIBRARY_PATH=$libraries" "$unpacked/usr/sbin/clickhouse-server" "--config-file=$folder/$node/config.xml") ;;
  esac
  rm -f "$folder/$node/pid"
  # The process writes its own number, so that no interruption of this script can come between.
  (
    exec 9>&- </dev/null >>"$folder/$node/output" 2>&1
    cd "$folder/$node"
    self=$BASHPID
    echo "$self $(birth "$self")" >pid.new
    mv pid.new pid
    exec setsid "${program[@]}"
  ) &
  until [ -f "$folder/$node/pid" ]; do sleep 0.01; done
}

# wait_answer NODE: waits until it answers.
wait_answer() {
  local until=$((SECONDS + 30))
  until answers "$1"; do
    runs "$1" || fail "$1 ended while it started: $(cat "$folder/$1/output" "$folder/$1/errors.log" 2>/dev/null | tail -n 5)"
    [ $SECONDS -lt $until ] || fail "$1 does not answer after 30 s; its log is in $folder/$1."
    sleep 0.1
  done
}

# start_nodes NODES…: starts them, and waits until all nodes answer and a statement for the cluster reaches all servers.
start_nodes() {
  local node
  for node in "$@"; do
    start_node "$node"
    [ "$node" != zookeeper ] || wait_answer "$node"
  done
  for node in "${nodes[@]}"; do wait_answer "$node"; done
  run_client ready || fail "The cluster does not get ready: $(grep -hF '<Error>' "$folder"/*/errors.log | tail -n 3)"
}

# run_client ARGUMENTS…: runs client.py with what it needs to know.
run_client() { (eval "$(print_environment)" && PYTHONDONTWRITEBYTECODE=1 "$python" "$files/client.py" "$@" >&2); }
