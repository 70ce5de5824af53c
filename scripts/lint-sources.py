"""The house rules that `swift format` cannot check. Usage: lint-sources.py FILE… ; called by scripts/lint.

Prints `file:line: what is wrong` and exits with 1 when something is.
"""

import re
import sys

MAXIMUM_LINES = 500

UNFINISHED = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|X" r"XX)\b")
MACHINE_PATH = re.compile(r"(?<![\w.\-/])/(?:root|work|home/\w+)(?:/|\b)")
CRASHES = re.compile(r"\btry!|\bas!|\bfatalError\(")
UNCHECKED = re.compile(r"@unchecked\s+Sendable|\bnonisolated\(unsafe\)")
BARE_FOUNDATION = re.compile(r"^\s*(?:@\w+\s+|public\s+|package\s+|internal\s+|private\s+|fileprivate\s+)*"
                             r"import\s+(?:\w+\s+)?Foundation(?:Networking|XML)?(?:\.|\s|$)")
DECLARATION = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s.*?\b(func|init|subscript|var)\b")
REQUIREMENT = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:mutating\s+|static\s+|nonisolated\s+)*(func|init|subscript|var)\b")
PUBLIC_PROTOCOL = re.compile(r"^\s*(?:@\w+\s+)*public\s+protocol\b")


def masked(text):
    """The text with comments and the contents of literals and raw identifiers blanked; every line keeps its place."""
    out = []
    index, size = 0, len(text)

    def blank(end):
        nonlocal index
        out.append(re.sub(r"[^\n]", " ", text[index:end]))
        index = end

    while index < size:
        if text.startswith("//", index):
            end = text.find("\n", index)
            blank(size if end < 0 else end)
        elif text.startswith("/*", index):
            depth, end = 1, index + 2
            while end < size and depth:
                if text.startswith("/*", end):
                    depth, end = depth + 1, end + 2
                elif text.startswith("*/", end):
                    depth, end = depth - 1, end + 2
                else:
                    end += 1
            blank(end)
        elif literal := re.compile(r'(#*)("""|")').match(text, index):
            blank(end_of_literal(text, literal))
        elif text[index] == "`":
            end = text.find("`", index + 1)
            blank(size if end < 0 else end + 1)
        else:
            out.append(text[index])
            index += 1
    return "".join(out)


def end_of_literal(text, opening):
    """Where a string literal ends, with `\\(…)` interpolations and the literals inside them stepped over."""
    pounds, quote = opening.groups()
    closing, escape = quote + pounds, "\\" + pounds
    index = opening.end()
    while index < len(text):
        if text.startswith(escape + "(", index):
            index, depth = index + len(escape) + 1, 1
            while index < len(text) and depth:
                if inner := re.compile(r'(#*)("""|")').match(text, index):
                    index = end_of_literal(text, inner)
                    continue
                depth += {"(": 1, ")": -1}.get(text[index], 0)
                index += 1
        elif text.startswith(escape, index):
            index += len(escape) + 1
        elif text.startswith(closing, index):
            return index + len(closing)
        elif quote == '"' and text[index] == "\n":
            return index
        else:
            index += 1
    return index


def comment_beside(lines, number):
    """The ordinary comment at the end of a line, or the block of comment lines right above it."""
    found = re.search(r"(?:^|\s)(//.*)$", lines[number])
    comments = [found.group(1)] if found else []
    above = number - 1
    while above >= 0 and lines[above].strip().startswith("//"):
        comments.append(lines[above].strip())
        above -= 1
    return comments


def has_reason(lines, number, words):
    """True for an ordinary comment; a doc comment counts only when it speaks of the matter."""
    return any(not comment.startswith("///") or re.search(words, comment, re.IGNORECASE) for comment in comment_beside(lines, number))


def signature(code, number):
    """A declaration's code from its line to its body or end, joined, and the code right after its opening brace."""
    text, depth = "", 0
    for line in code[number : number + 60]:
        for position, character in enumerate(line):
            if character in "([":
                depth += 1
            elif character in ")]":
                depth -= 1
            elif depth == 0 and character in "{}=":
                rest = line[position + 1 :] + " " + " ".join(code[number + 1 + text.count("\n") :][:4])
                return text, rest if character == "{" else ""
            text += character
        following = code[number + text.count("\n") + 1 :][:1]
        if depth == 0 and not (following and re.match(r"\s*(?:->|throws\b|async\b|where\b|\{)", following[0])):
            return text, ""
        text += "\n"
    return text, ""


def throws(kind, code, number):
    """Whether the declaration on this line can throw, as opposed to a closure it takes or returns."""
    head, body = signature(code, number)
    if kind == "var" or kind == "subscript":
        return re.match(r"\s*get\s+(?:async\s+)?throws\b", body) is not None
    # With `throws(E)` for a generic E, what is thrown is what the caller's own closure throws.
    typed = re.findall(r"\bthrows\((\w+)\)", head)
    if typed and re.search(rf"<[^>]*\b{typed[-1]}\s*:", head):
        return False
    while re.search(r"\([^()]*\)|\[[^\[\]]*\]", head):
        head = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", head)
    return re.search(r"\bthrows\b", head.split("->")[0]) is not None


def documentation(lines, number):
    """The doc comment above a declaration and its attributes."""
    above, found = number - 1, []
    while above >= 0 and re.match(r"\s*(?:///|@)", lines[above]):
        found.append(lines[above].strip())
        above -= 1
    return found


def undocumented_throws(lines, code):
    """Line numbers of public throwing declarations, protocol requirements among them, without `Throws:`."""
    depth, protocols = 0, []
    for number, line in enumerate(code):
        inside_protocol = bool(protocols) and depth == protocols[-1] + 1
        found = DECLARATION.match(line) or (inside_protocol and REQUIREMENT.match(line))
        if found and throws(found.group(1), code, number):
            if not any(re.search(r"\bThrows:", text) for text in documentation(lines, number)):
                yield number
        if PUBLIC_PROTOCOL.match(line):
            protocols.append(depth)
        depth += line.count("{") - line.count("}")
        while protocols and depth <= protocols[-1] and "}" in line:
            protocols.pop()


def bare_foundation_imports(code):
    """Line numbers of `import Foundation` outside the `#else` of `#if canImport(FoundationEssentials)`."""
    conditions = []
    for number, line in enumerate(code):
        directive = line.strip()
        if directive.startswith("#if"):
            conditions.append("essentials" if re.search(r"#if\s+canImport\(FoundationEssentials\)", directive) else "other")
        elif directive.startswith(("#else", "#elseif")) and conditions:
            conditions[-1] = "fallback" if conditions[-1] == "essentials" and directive == "#else" else "other"
        elif directive.startswith("#endif") and conditions:
            conditions.pop()
        elif BARE_FOUNDATION.match(line) and "fallback" not in conditions:
            yield number


def check_swift(path, text):
    """Problems of one Swift file, as (line number from 0, sentence)."""
    lines = text.split("\n")
    code = masked(text).split("\n")
    count = text.count("\n")
    if count > MAXIMUM_LINES:
        yield MAXIMUM_LINES, f"{count} lines; a file of more than {MAXIMUM_LINES} holds two ideas"
    if not path.startswith("Sources/"):
        return
    for number, line in enumerate(code):
        if (found := CRASHES.search(line)) and not has_reason(lines, number, r"\bcannot fail\b|\bnever\b"):
            yield number, f"`{found.group().rstrip('(')}` without a comment that says why it cannot happen"
        if (found := UNCHECKED.search(line)) and not has_reason(lines, number, r"unchecked|unsafe|sendable"):
            yield number, f"`{found.group()}` without its reason on this line or the line above"
    for number in undocumented_throws(lines, code):
        yield number, "public and throwing, but the doc comment has no `Throws:`"
    if path.startswith("Sources/Bluebonnet/"):
        for number in bare_foundation_imports(code):
            yield number, "the core imports FoundationEssentials, never Foundation (except in `#else` of `#if canImport(FoundationEssentials)`)"


def check(path):
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
    except UnicodeDecodeError:
        return
    for number, line in enumerate(text.split("\n")):
        if found := UNFINISHED.search(line):
            yield number, f"`{found.group()}`: finish it, or open an issue"
        if found := MACHINE_PATH.search(line):
            yield number, f"`{found.group()}` is a path of one machine"
    if path.endswith(".swift"):
        yield from check_swift(path, text)


def main(paths):
    problems = 0
    for path in paths:
        for number, sentence in check(path):
            print(f"{path}:{number + 1}: {sentence}")
            problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
