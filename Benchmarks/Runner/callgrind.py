"""What one warm request costs in instructions, allocations and locks: counted by valgrind's callgrind, not timed.

Two runs of different length are subtracted from each other, so that the start, the warm-up and the end drop out; the rest is
divided by the requests between them. The same binary gives the same figures on a busy machine, too, but for what depends on how
many requests a turn of the event loop finds.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import samples

# The main thread of a Swift program with an asynchronous `main` parks in `sigsuspend`, in which
# valgrind 3.19 fails.
PARK = """
#include <signal.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) { (void)mask; for (;;) pause(); }
"""
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
# What calls an allocator for somebody else.
WRAPPERS = {
    "swift_slowAlloc", "swift_slowAllocTyped", "swift_allocObject", "_swift_allocObject_", "operator new(unsigned long)",
}
# What the Swift runtime locks when something is added to a task that its cancellation must know, or
# taken away again.
TASK_RECORDS = "withStatusRecordLock("
PTHREAD_LOCKS = {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock"}
# What `Mutex` of the module Synchronization calls when it has to wait.
LOCK_SLOW, UNLOCK_SLOW = "$s15Synchronization12_MutexHandleV9_lockSlow", "$s15Synchronization12_MutexHandleV11_unlockSlow"


@dataclass
class Profile:
    """How often what ran. Fractions are of requests, once two profiles were subtracted."""

    executed: Counter = field(default_factory=Counter)  # (object file, address of the instruction)
    calls: Counter = field(default_factory=Counter)  # (caller, callee), their symbols

    @staticmethod
    def read(path: Path) -> "Profile":
        """Reads a file of callgrind's with an address on each line (`--dump-instr=yes`, nothing compressed)."""
        result, file, caller, callee = Profile(), "", "", ""
        with open(path) as lines:
            for line in lines:
                if line.startswith("ob="):
                    file = line[3:-1]
                elif line.startswith("fn="):
                    caller = symbol(line[3:-1])
                elif line.startswith("cfn="):
                    callee = symbol(line[4:-1])
                elif line.startswith("calls="):
                    result.calls[caller, callee] += int(line[6:].split()[0])
                    next(lines)  # what the callee cost, which is also said at its own lines
                elif line.startswith("0x"):
                    address, _, count = line.split()
                    result.executed[file, int(address, 16)] += int(count)
        return result

    def minus(self, other: "Profile", requests: int) -> "Profile":
        def difference(ours: Counter, theirs: Counter) -> Counter:
            return Counter({key: (ours[key] - theirs[key]) / requests for key in ours if ours[key] != theirs[key]})

        return Profile(difference(self.executed, other.executed), difference(self.calls, other.calls))

    def called(self, *names: str) -> float:
        return sum(count for (_, callee), count in self.calls.items() if callee in names)

    def callers(self, names: set[str], through: Callable[[str], bool]) -> Counter:
        """Who calls these functions; for those that only pass it on, who calls them."""
        def is_inside(name: str) -> bool:
            return name in names or through(name)

        result = Counter()
        for (caller, callee), count in self.calls.items():
            if is_inside(callee) and not is_inside(caller):
                result[caller] += count
        return result


def symbol(name: str) -> str:
    """Without the version of a library's symbol, and without callgrind's mark of a recursive call."""
    return re.sub(r"'\d+$", "", name.split("@@")[0])


class Mutexes:
    """Where a program locks a `Mutex`.

    The compiler puts the way that need not wait in line: a compare-and-exchange of 32 bits, and a conditional jump by way of
    which a call of `_MutexHandle._lockSlow` is reached. The number of times such an instruction runs is the number of
    acquisitions.
    """

    def __init__(self, executable: Path):
        text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", executable], check=True, capture_output=True, text=True)
        found = re.findall(r"^ *([0-9a-f]+):\t(.*)$", text.stdout, re.MULTILINE)
        self.code = [(int(address, 16), instruction) for address, instruction in found]
        self.places = {address: place for place, (address, _) in enumerate(self.code)}
        exchanges = [place for place, (_, text) in enumerate(self.code) if re.match(r"lock cmpxchg %(e|r\d+d)", text)]
        self.exchanges = {self.code[place][0] for place in exchanges}
        self.locks = {self.code[place][0] for place in exchanges if self.leads(place, LOCK_SLOW)}
        self.unlocks = {self.code[place][0] for place in exchanges if self.leads(place, UNLOCK_SLOW)}

    def leads(self, place: int, name: str) -> bool:
        """Whether the jump behind an exchange, taken or not, comes to a call of the function."""
        for after in range(place + 1, min(place + 7, len(self.code))):
            jump = re.match(r"(jn?e)\s+([0-9a-f]+)", self.code[after][1])
            if jump:
                target = self.places.get(int(jump[2], 16))
                return self.calls(target if jump[1] == "jne" else after + 1, name)
        return False

    def calls(self, place: int | None, name: str) -> bool:
        for _, text in self.code[place:place + 12] if place is not None else []:
            if text.startswith("call"):
                return name in text
            if text.startswith(("jmp", "ret")):
                return False
        return False


class Counting:
    """Runs a client under callgrind."""

    def __init__(self, executable: Path, folder: Path):
        # valgrind 3.19 does not read the debug information of today's compilers.
        self.executable, self.stripped, self.folder = executable, folder / executable.name, folder
        subprocess.run(["strip", "-g", "-o", self.stripped, executable], check=True)
        self.park = folder / "park.so"
        (folder / "park.c").write_text(PARK)
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", self.park, folder / "park.c"], check=True)
        self.mutexes = Mutexes(self.stripped)

    def run(self, arguments: list, lengths: tuple[int, int]) -> Profile:
        """What a request costs."""
        profiles = []
        for requests in lengths:
            out = self.folder / f"callgrind.{requests}"
            samples.output([
                "env", f"LD_PRELOAD={self.park}", "valgrind", "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no",
                "--compress-pos=no", f"--callgrind-out-file={out}", self.stripped, *arguments, "--requests", requests,
            ])
            profiles.append(Profile.read(out))
        return profiles[1].minus(profiles[0], lengths[1] - lengths[0])

    def exchanges(self, profile: Profile, chosen: set[int]) -> Counter:
        """How often which of these instructions of the program ran."""
        return Counter({
            address: count for (file, address), count in profile.executed.items()
            if address in chosen and file == str(self.stripped)
        })

    def unknown(self, profile: Profile) -> Counter:
        """Exchanges of 32 bits that ran and are not known to lock or to unlock: if there are any, locks may be among them."""
        return self.exchanges(profile, self.mutexes.exchanges - self.mutexes.locks - self.mutexes.unlocks)

    def source(self, address: int) -> str:
        """Which function an instruction is from, and at which line; what was put in line there is written before `in`."""
        shown = subprocess.run(
            ["llvm-symbolizer", "--inlines", "--basenames", "-e", self.executable, hex(address)],
            capture_output=True, text=True).stdout.split("\n")
        pairs = [(name, re.sub(r":\d+$", "", line)) for name, line in zip(shown[::2], shown[1::2]) if name]
        return " in ".join(f"{demangled([name])[0]} ({line})" for name, line in pairs) or hex(address)


def demangled(names: list[str]) -> list[str]:
    done = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), capture_output=True, text=True)
    return done.stdout.splitlines()
