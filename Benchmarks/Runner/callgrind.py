"""Counts the instructions, allocations and locks of one warm request with valgrind's callgrind.

The counts of a short run are subtracted from those of a longer one, so that the start, the warm-up and the end drop out; the
difference is divided by the number of requests that the longer run has more. The same binary has the same figures on a busy
machine, except those that depend on how many requests a turn of the event loop finds.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import samples

# The main thread of a Swift program with an asynchronous `main` waits in `sigsuspend`, in which
# valgrind 3.19 fails. This library replaces the function.
PARK = """
#include <signal.h>
#include <unistd.h>
int sigsuspend(const sigset_t *mask) { (void)mask; for (;;) pause(); }
"""
ALLOCATORS = {"malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign"}
# Functions that call an allocator for their caller.
WRAPPERS = {
    "swift_slowAlloc", "swift_slowAllocTyped", "swift_allocObject", "_swift_allocObject_", "operator new(unsigned long)",
}
# The function of the Swift runtime that locks a task's records, to add or remove a cancellation
# handler, for example.
TASK_RECORDS = "withStatusRecordLock("
PTHREAD_LOCKS = {"pthread_mutex_lock", "pthread_mutex_trylock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock"}
# The functions that `Mutex` of the module Synchronization calls when it has to wait or to wake.
LOCK_SLOW, UNLOCK_SLOW = "$s15Synchronization12_MutexHandleV9_lockSlow", "$s15Synchronization12_MutexHandleV11_unlockSlow"


@dataclass
class Profile:
    """How often each instruction ran and each function was called; per request in a difference of two profiles."""

    executed: Counter = field(default_factory=Counter)  # (object file, address of the instruction)
    calls: Counter = field(default_factory=Counter)  # (caller, callee), their symbols

    @staticmethod
    def read(path: Path) -> "Profile":
        """Reads a file of callgrind with an address on each line (`--dump-instr=yes`, nothing compressed)."""
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
                    next(lines)  # the cost of the callee, which its own lines say, too
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
        """The callers of these functions. A caller for which `through` is true is replaced by its own callers."""
        def is_inside(name: str) -> bool:
            return name in names or through(name)

        result = Counter()
        for (caller, callee), count in self.calls.items():
            if is_inside(callee) and not is_inside(caller):
                result[caller] += count
        return result


def symbol(name: str) -> str:
    """A symbol without the version of its library and without callgrind's mark of a recursive call."""
    return re.sub(r"'\d+$", "", name.split("@@")[0])


class Mutexes:
    """The instructions of a program that lock a `Mutex`.

    The compiler puts the case without waiting in line: a compare-and-exchange of 32 bits, and a conditional jump that leads to
    a call of `_MutexHandle._lockSlow`. Each time such an instruction runs is one acquisition.
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
        """Whether the jump after an exchange leads to a call of the function when the exchange failed."""
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
        """The profile of one request."""
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
        """How often each of the chosen instructions of the program ran."""
        return Counter({
            address: count for (file, address), count in profile.executed.items()
            if address in chosen and file == str(self.stripped)
        })

    def unknown(self, profile: Profile) -> Counter:
        """Exchanges of 32 bits that ran and are not known to lock or to unlock: there may be locks among them."""
        return self.exchanges(profile, self.mutexes.exchanges - self.mutexes.locks - self.mutexes.unlocks)

    def source(self, address: int) -> str:
        """The function and the line of an instruction; a function that was put in line there is written before `in`."""
        shown = subprocess.run(
            ["llvm-symbolizer", "--inlines", "--basenames", "-e", self.executable, hex(address)],
            capture_output=True, text=True).stdout.split("\n")
        pairs = [(name, re.sub(r":\d+$", "", line)) for name, line in zip(shown[::2], shown[1::2]) if name]
        return " in ".join(f"{demangled([name])[0]} ({line})" for name, line in pairs) or hex(address)


def demangled(names: list[str]) -> list[str]:
    done = subprocess.run(
        ["swift", "demangle", "--simplified", "--compact"], input="\n".join(names), capture_output=True, text=True)
    return done.stdout.splitlines()
