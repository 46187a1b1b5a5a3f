"""A server on other file systems: each gets kills, backups, deletions, a full disk and a lost mount. Prints a table.

w works · r clear refusal · f fails · L loses acknowledged events · – not tried. Needs root. Exits with 1 for any f or L."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import uuid

PROGRAM = os.environ["TERN_PROGRAM"]
MIB = 1 << 20
BATCH = 100
# The time for one file system.
LIMIT = 240


def install(number):
    return f"f11e5000-0000-4000-8000-{number:012}"


class Failure(Exception):
    """A step that didn't do what it should, with its mark."""

    def __init__(self, mark, text):
        super().__init__(text)
        self.mark = mark


def run(*arguments, seconds=60):
    return subprocess.run(
        [str(argument) for argument in arguments], capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL)


def must(*arguments, seconds=60):
    result = run(*arguments, seconds=seconds)
    if result.returncode != 0:
        raise Failure("f", f"{arguments[0]} {arguments[1] if len(arguments) > 1 else ''}: {result.stdout}{result.stderr}".strip())
    return result.stdout


class Disk:
    """An image with a file system."""

    # False if a write that fails damages what the file had at its end.
    appends_whole = True

    def __init__(self, name, make, options="", size=320 * MIB, kind="auto"):
        self.name, self.make, self.options, self.size, self.kind = name, make, options, size, kind

    def mount(self, folder):
        self.folder = folder
        self.image, self.path = folder / "disk.img", folder / "disk"
        self.path.mkdir()
        with open(self.image, "wb") as file:
            file.truncate(self.size)
        must(*self.make, self.image)
        must("mount", "-t", self.kind, "-o", f"loop,{self.options}".rstrip(","), self.image, self.path)
        self.top = self.path

    def kill(self):
        """Makes the disk go away; returns False if that can't be done with this one."""
        return False

    def unmount(self):
        run("umount", "-l", self.top)
        if self.top != self.path:
            run("umount", "-l", self.path)


class Memory(Disk):
    def __init__(self):
        super().__init__("tmpfs", None)

    def mount(self, folder):
        self.folder = folder
        self.path = self.top = folder / "disk"
        self.path.mkdir()
        must("mount", "-t", "tmpfs", "-o", f"size={self.size}", "tern", self.path)


class XFS(Disk):
    """XFS, which can be shut down as after a failure of its disk."""

    def __init__(self):
        super().__init__("xfs", ["mkfs.xfs", "-q"])

    def kill(self):
        return run("xfs_io", "-x", "-c", "shutdown", self.path).returncode == 0

    def revive(self):
        must("umount", "-l", self.path)
        # The last file that the server had open is closed by now.
        for _ in range(50):
            if run("mount", "-o", "loop", self.image, self.path).returncode == 0:
                return
            time.sleep(0.2)
        raise Failure("f", "the image can't be mounted again")


class Quota(Disk):
    """A subvolume of btrfs with a limit, which the free space of the disk doesn't show."""

    def __init__(self):
        super().__init__("btrfs, quota", ["mkfs.btrfs", "-q"], size=640 * MIB)

    def mount(self, folder):
        super().mount(folder)
        must("btrfs", "quota", "enable", self.path)
        self.top = self.path / "limited"
        must("btrfs", "subvolume", "create", self.top)
        must("btrfs", "qgroup", "limit", "120M", self.top)

    def unmount(self):
        run("umount", "-l", self.path)


class Layer(Disk):
    """A file system above an ext4 image: `start` gets the folder below and the one where it appears."""

    def __init__(self, name, start, other=True, prepare=lambda below: None, appends_whole=True):
        super().__init__(name, ["mkfs.ext4", "-q"])
        self.start, self.other, self.prepare, self.appends_whole = start, other, prepare, appends_whole

    def mount(self, folder):
        super().mount(folder)
        self.below, self.top = self.path / "below", folder / "top"
        self.below.mkdir()
        self.top.mkdir()
        self.prepare(self.below)
        self.revive()

    def revive(self):
        run("umount", "-l", self.top)
        self.start(self.below, self.top)
        deadline = time.monotonic() + 10
        while not os.path.ismount(self.top):
            if time.monotonic() > deadline:
                raise Failure("f", "not mounted")
            time.sleep(0.05)

    def kill(self):
        return run("fusermount3", "-V").returncode == 0 and abort(self.top)


def abort(mount):
    run("mount", "-t", "fusectl", "none", "/sys/fs/fuse/connections")
    """Ends the connection of a FUSE file system with its process, as when that is killed."""
    number = os.minor(os.stat(mount).st_dev)
    try:
        pathlib.Path(f"/sys/fs/fuse/connections/{number}/abort").write_text("1")
        return True
    except OSError:
        return False


def overlay(below, top):
    for name in ["upper", "work"]:
        (below / name).mkdir(exist_ok=True)
    (below / "lower").mkdir(exist_ok=True)
    must("mount", "-t", "overlay", "tern", "-o", f"lowerdir={below}/lower,upperdir={below}/upper,workdir={below}/work", top)


def fuse_overlay(below, top):
    for name in ["upper", "work", "lower"]:
        (below / name).mkdir(exist_ok=True)
    must("fuse-overlayfs", "-o", f"lowerdir={below}/lower,upperdir={below}/upper,workdir={below}/work", top)


def sshfs(below, top):
    """A mount whose server is a process of this computer."""
    ours, theirs = socket.socketpair()
    subprocess.Popen(["/usr/lib/openssh/sftp-server"], stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL)
    subprocess.Popen(
        ["sshfs", "-f", "-o", "passive", f":{below}", str(top)], stdin=ours, stdout=ours, stderr=subprocess.DEVNULL)
    ours.close()
    theirs.close()


def gocryptfs(*arguments):
    must("gocryptfs", "-q", "-extpass", "echo password", *arguments)


DISKS = [
    Disk("ext4", ["mkfs.ext4", "-q"]),
    XFS(),
    Disk("btrfs", ["mkfs.btrfs", "-q"]),
    Disk("btrfs, nodatacow", ["mkfs.btrfs", "-q"], "nodatacow"),
    Quota(),
    Memory(),
    Layer("overlay", overlay, other=False),
    Layer("bindfs", lambda below, top: must("bindfs", below, top)),
    Layer("mergerfs", lambda below, top: must("mergerfs", "-o", "minfreespace=1M", below, top)),
    Layer("mergerfs, cache.files=off", lambda below, top: must("mergerfs", "-o", "minfreespace=1M,cache.files=off", below, top)),
    Layer("sshfs", sshfs),
    Layer("fuse-overlayfs", fuse_overlay, other=False),
    Disk("NTFS", ["mkfs.ntfs", "-q", "-F", "-Q"], kind="ntfs-3g"),
    Disk("exFAT", ["mkfs.exfat"], kind="exfat-fuse"),
    Layer("gocryptfs", gocryptfs, prepare=lambda below: gocryptfs("-init", below)),
    Layer("encfs", lambda below, top: must("encfs", "--standard", "--extpass=echo password", below, top), appends_whole=False),
]


class Server:
    """A server that listens, or has refused to."""

    def __init__(self, data, log, *options):
        self.data, self.log = data, log
        with open(log, "w", encoding="utf-8") as output:
            self.process = subprocess.Popen(
                [PROGRAM, "serve", "--data", str(data), "--port", "0", "--address-events-per-second", "1000000",
                 "--address-requests-per-second", "100000", *options], stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        self.address = None
        while self.address is None and self.process.poll() is None and time.monotonic() < deadline:
            if found := re.search(r"listens on (http://127\.0\.0\.1:\d+)", self.text):
                self.address = found.group(1)
            time.sleep(0.05)

    @property
    def text(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def post(self, key, person, count=BATCH):
        """Sends events; returns True if they are acknowledged."""
        now = int(time.time() * 1000)
        lines = [
            json.dumps({
                "id": str(uuid.uuid4()), "type": "event", "name": f"event {number % 9}", "install": person, "time": now,
                "session": person, "properties": {"text": "x" * 200},
                "device": {"osName": "iOS", "osVersion": "18.0", "model": "iPhone16,1", "locale": "en_US"},
                "app": {"version": "1.0", "build": "1"}})
            for number in range(count)]
        request = urllib.request.Request(
            f"{self.address}/v1/events", data="\n".join(lines).encode(), headers={"Tern-Key": key})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert json.load(answer)["rejected"] == []
                return True
        except (urllib.error.URLError, OSError):
            return False

    def stop(self):
        """Stops it, and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait(40)

    def wait(self, seconds):
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None


class Trial:
    """What one file system gets."""

    STEPS = ["start", "other path", "kill", "backup", "person", "full disk", "lost mount", "read-only", "verify"]

    def __init__(self, disk, folder):
        self.disk, self.folder = disk, folder
        self.acknowledged = self.deleted = self.unsure = self.logs = 0
        self.servers, self.notes = [], []

    def serve(self, data=None, *options):
        self.logs += 1
        # The images are small.
        server = Server(
            data or self.data, self.folder / f"log{self.logs}.txt", *(options or ["--disk-reserve", "20MiB"]))
        self.servers.append(server)
        return server

    def started(self, *options):
        server = self.serve(None, *options)
        if server.address is None:
            raise Failure("f", "no start: " + server.text.strip()[-300:])
        return server

    def send(self, server, batches, person):
        for _ in range(batches):
            if server.post(self.key, person):
                self.acknowledged += BATCH
            else:
                self.unsure += BATCH

    def run(self):
        marks = {}
        self.data = self.disk.top / "data"
        deadline = time.monotonic() + LIMIT
        for step in self.STEPS:
            if time.monotonic() > deadline:
                self.notes.append(f"{step}: no time left")
                break
            try:
                marks[step] = getattr(self, re.sub(r"\W", "_", step))()
            except Failure as failure:
                marks[step] = failure.mark
                self.notes.append(f"{step}: {failure}")
            except (OSError, subprocess.SubprocessError) as error:
                marks[step] = "f"
                self.notes.append(f"{step}: {error!r}")
            self.end()
            if step == "start" and marks[step] != "w":
                break
        return marks

    def start(self):
        server = self.serve()
        if server.address is None:
            self.notes.append("start: " + server.text.strip()[-300:])
            return "r" if "can't share memory between processes" in server.text else "f"
        self.key = re.search(r"tern_[\w-]+", must(PROGRAM, "apps", "create", "A", "--data", self.data)).group(0)
        self.send(server, 20, install(1))
        if self.acknowledged != 20 * BATCH:
            raise Failure("f", f"{self.acknowledged} events are acknowledged: " + server.text[-300:])
        second = self.serve()
        if second.address or "is in use by another process" not in second.text:
            raise Failure("f", "a second server: " + second.text)
        isOpen = os.stat(self.data / "catalog.sqlite").st_mode & 0o004 != 0
        if isOpen != ("Every user of this machine may read" in server.text):
            raise Failure("f", "a wrong word about others who may read: " + server.text)
        if isOpen:
            self.notes.append("start: warns that others may read the data")
        if server.stop() != 0:
            raise Failure("f", "stop: " + server.text[-300:])
        return "w"

    def other_path(self):
        """A second server that reaches the directory in another way."""
        if not getattr(self.disk, "other", False):
            return "–"
        server = self.started()
        other = self.folder / "other"
        other.mkdir()
        self.disk.start(self.disk.below, other)
        try:
            second = self.serve(other / "data")
            self.send(server, 5, install(2))
            isRefused = second.address is None and "is in use by a server that reaches it in another way" in second.text
            if not isRefused:
                raise Failure("f", second.text[-300:])
            if server.stop() != 0:
                raise Failure("f", "stop: " + server.text[-300:])
            return "r"
        finally:
            second.process.kill()
            run("umount", "-l", other)

    def kill(self):
        for number in range(3):
            server = self.started()
            sender = threading.Thread(target=lambda: self.send(server, 15, install(3 + number)))
            sender.start()
            time.sleep(0.4)
            server.process.kill()
            server.process.wait()
            sender.join()
        self.check()
        return "w"

    def stored(self):
        result = run(PROGRAM, "verify", "--data", self.data)
        found = re.search(r"match ([\d,]+) events", result.stdout)
        later = re.search(r"([\d,]+) newer events", result.stdout)
        if result.returncode != 0 or not found:
            raise Failure("f", "verify: " + (result.stdout + result.stderr)[-400:])
        return sum(int(match.group(1).replace(",", "")) for match in [found, later] if match)

    def check(self):
        stored = self.stored()
        if stored < self.acknowledged - self.deleted:
            raise Failure("L", f"{stored} of {self.acknowledged - self.deleted} events")
        if stored > self.acknowledged + self.unsure - self.deleted:
            raise Failure("f", f"{stored} events, more than the {self.acknowledged + self.unsure - self.deleted} that were sent")

    def backup(self):
        backups, restored = self.disk.top / "backups", self.disk.top / "restored"
        for name, more in [("one", []), ("two", ["--link-to", backups / "one"])]:
            must(PROGRAM, "backup", backups / name, "--data", self.data, *more)
        must(PROGRAM, "backup", "--check", backups / "two")
        must(PROGRAM, "restore", backups / "two", "--data", restored)
        must(PROGRAM, "verify", "--data", restored)
        # The second one shares files with the first one where that is possible.
        with open(next(iter((backups / "two/rows").iterdir())), "r+b") as file:
            file.seek(100)
            file.write(b"\0\0\0\0")
        result = run(PROGRAM, "backup", "--check", backups / "two")
        if result.returncode != 1 or "is damaged" not in result.stdout:
            raise Failure("f", "a damaged backup: " + result.stdout + result.stderr)
        for path in [backups, restored]:
            shutil.rmtree(path)
        return "w"

    def person(self):
        server = self.started()
        before = self.stored()
        self.send(server, 2, install(9))
        must(PROGRAM, "persons", "delete", "--install", install(9), "--yes", "--data", self.data)
        self.deleted += 2 * BATCH
        if server.stop() != 0:
            raise Failure("f", "stop: " + server.text[-300:])
        if self.stored() != before:
            raise Failure("L", f"{self.stored()} events instead of {before}")
        server = self.started()
        if "backup" in server.text:
            raise Failure("f", server.text)
        server.stop()
        return "w"

    def full_disk(self):
        reserves = ["20MiB", "0"] if self.disk.appends_whole else ["20MiB"]
        for options in [["--disk-reserve", reserve] for reserve in reserves]:
            server = self.started(*options)
            self.send(server, 2, install(4))
            filler = self.disk.top / "filler"
            fill(filler)
            self.send(server, 3, install(5))
            code = server.stop()
            if code not in (0, 2):
                raise Failure("f", f"the stop ended with {code}: " + server.text[-300:])
            full = self.serve(None, *options)
            isStarted = full.address is not None
            if isStarted:
                full.stop()
            elif not re.search(r"is full|quota .* is used up", full.text):
                raise Failure("f", "start on a full disk: " + full.text[-300:])
            filler.unlink()
            time.sleep(0.5)
            server = self.started()
            acknowledged = self.acknowledged
            self.send(server, 2, install(6))
            if self.acknowledged != acknowledged + 2 * BATCH:
                raise Failure("f", "nothing is stored although there is room again")
            server.stop()
            self.check()
            if not isStarted:
                self.notes.append("full disk: a start is refused, with the reason")
        return "w"

    def lost_mount(self):
        server = self.started()
        self.send(server, 2, install(7))
        time.sleep(1)
        if not self.disk.kill():
            server.stop()
            return "–"
        self.send(server, 1, install(8))
        try:
            self.end_without_disk(server)
        finally:
            self.disk.revive()
        self.check()
        return "w"

    def end_without_disk(self, server):
        code = server.wait(20)
        if code != 2 or "doesn't answer" not in server.text:
            raise Failure("f", f"exit code {code}: " + server.text[-400:])
        if "backup" in server.text or "rebuild" in server.text:
            raise Failure("f", "wrong advice: " + server.text[-400:])
        away = self.serve()
        if away.address is not None:
            away.process.kill()
            raise Failure("f", "a start on a lost mount")

    def read_only(self):
        """Commands say that the disk can only be read, and nothing else."""
        copy = self.folder / "read-only"
        copy.mkdir()
        must("mount", "--bind", self.disk.top, copy)
        try:
            must("mount", "-o", "remount,bind,ro", copy)
            for command in ["verify", "storage"]:
                result = run(PROGRAM, command, "--data", copy / "data")
                if result.returncode == 0 or "can only be read" not in result.stderr:
                    raise Failure("f", f"tern {command}: " + result.stdout + result.stderr)
            server = self.serve(copy / "data")
            if server.address is not None or "can only be read" not in server.text:
                raise Failure("f", "a server: " + server.text)
        finally:
            run("umount", "-l", copy)
        return "r"

    def verify(self):
        self.check()
        return "w"

    def end(self):
        for server in self.servers:
            if server.process.poll() is None:
                server.process.kill()
                server.process.wait()


def fill(path):
    """Fills a disk to its last byte."""
    with open(path, "wb", buffering=0) as file:
        for size in [MIB, 4096, 512]:
            bytes = b"\1" * size
            failures = 0
            while failures < 3:
                try:
                    file.write(bytes)
                    # Some file systems accept everything until then.
                    os.fsync(file.fileno())
                except OSError:
                    failures += 1


def main():
    wanted = sys.argv[1:]
    isGood, rows = True, []
    for disk in DISKS:
        if wanted and disk.name not in wanted:
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="tern-fs-"))
        begin = time.monotonic()
        trial = Trial(disk, folder)
        try:
            disk.mount(folder)
            marks = trial.run()
        except (Failure, OSError, subprocess.SubprocessError) as error:
            marks = {}
            trial.notes.append(f"not tried: {error}")
        finally:
            trial.end()
            disk.unmount()
            shutil.rmtree(folder, ignore_errors=True)
        rows.append([disk.name] + [marks.get(step, "–") for step in Trial.STEPS])
        isGood = isGood and not {"f", "L"} & set(marks.values())
        print(f"{disk.name}: {' '.join(rows[-1][1:])}, {time.monotonic() - begin:.0f} s", flush=True)
        for note in trial.notes:
            print("  " + note.replace("\n", "\n    "), flush=True)
    print(f"\n| File system | {' | '.join(Trial.STEPS)} |\n|---|{'---|' * len(Trial.STEPS)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    sys.exit(0 if isGood else 1)


main()
