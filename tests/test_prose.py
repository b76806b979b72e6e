"""The part of the rule of prose (docs/style.md) that a program can check: subjects, plain words."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from support.sources import ROOT, files, none, text

# Folders and files whose prose is checked, from the root.
COVERED = ("README.md", "CHANGELOG.md", "bench", "docs", "examples", "src", "tests", "tools")
QUOTE_OTHERS = "tests"  # strings there repeat messages, which are checked where they are made
# A function's docstring that begins so says what there is, and not what the function does.
NO_VERBS = re.compile(
    r"(?:an?|all|both|each|every|how|its|no|one|only|some|the|their|this|those|three|two|what|when"
    r"|where|whether|which|why)\b",
    re.IGNORECASE,
)
CODE_AS_VALUE = re.compile(r"; -\d{4} ")
PROPERTIES = frozenset({"property", "cached_property", "overload", "fixture"})
WORDS = 3  # shorter strings are names and data

OPENS = re.compile(r"(?:who(?:ever)?|what|those (?:who|that))\b", re.IGNORECASE)
ANEW = re.compile(r"\banew\b", re.IGNORECASE)
# Between two clauses; neither "nothing else" nor "a if b else c".
ELSE = re.compile(r"(?:^|[;,:(] |\bor )else\b(?!:| \{)", re.IGNORECASE)
# In time or in a row, told by the noun; neither "behind a proxy" nor "history is behind".
BEHIND = re.compile(
    r"(?<!request )\bbehind (?:which\b|(?:it|them) (?:come|follow|stand)s?\b"
    r"|(?:(?:an?|all|each|every|first|its|last|the) )*"
    r"(?:answer|batch|block|call|change|close|command|commit|discount|end|event|fill|first|frame"
    r"|head|item|key|kill|last|newest|number|oldest|order|other|point|restart|sequence|settlement"
    r"|snapshot|state|tick|trade|update|upgrade)s?\b)",
    re.IGNORECASE,
)
LAG = re.compile(
    r"\b(?:is|are|was|were|be|far|falls?|fell|lags?|stays?|still|[\dX]+ \w+) behind\b",
    re.IGNORECASE,
)
# A page's code, headings, and heads of tables hold no sentences.
FENCE, HEADING, RULE = re.compile(r"\s*```"), re.compile(r"#+ "), re.compile(r"\|[ :]*-")
ITEM = re.compile(r"\s*(?:[-*>]|\d+\.) ")


def test_sentences_name_their_subject_and_use_plain_words() -> None:
    none(
        [
            f"{path}:{line}: {fault}"
            for path in covered()
            for line, prose in prose_of(path)
            for fault in faults(prose)
        ]
    )


def test_docstrings_of_functions_begin_with_a_verb() -> None:
    """Those of commands are help texts; a property is named as what it is."""
    none(
        [
            f"{path}:{line}: {begin}"
            for path in covered()
            if path.is_relative_to("src/venue") and not path.is_relative_to("src/venue/cli")
            for line, begin in without_verb(ast.parse(text(ROOT / path)))
        ]
    )


def without_verb(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """The functions whose docstring begins otherwise: a thing that is returned, or "Have ...". Or a
    refusal is told as yes or no, a code that is raised as a value."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        words = (ast.get_docstring(node) or "").split()
        names = [ast.unparse(one).rpartition(".")[2] for one in node.decorator_list]
        if not words or not PROPERTIES.isdisjoint(names):
            continue
        returns = node.returns is not None and ast.unparse(node.returns) != "None"
        if words[0] == "Have" or (returns and NO_VERBS.match(words[0])):
            yield node.lineno, " ".join(words[:5])
        elif words[:2] == ["Return", "whether"] and "Rejected" in ast.unparse(node.returns or node):
            yield node.lineno, "a refusal is returned, and no answer of yes or no"
        elif CODE_AS_VALUE.search(" ".join(words)):
            yield node.lineno, "a code is raised: ApiError -NNNN"


def test_a_docstring_without_a_verb_is_seen() -> None:
    planted = """
def a() -> int:
    'The number of things.'
def b() -> None:
    'Have things counted.'
def c() -> int:
    'Return the number of things.'
@property
def d() -> int:
    'The number of things.'
def e() -> Rejected | None:
    'Return whether nobody may.'
def f() -> int:
    'Return an integer; -1140 for all else.'
"""
    assert [line for line, _ in without_verb(ast.parse(planted))] == [2, 4, 11, 13]


def covered() -> list[Path]:
    """The programs and pages in COVERED, by path from the root."""
    paths = [path.relative_to(ROOT) for path in files() if path.suffix in (".py", ".md")]
    return [path for path in paths if any(path.is_relative_to(place) for place in COVERED)]


def prose_of(path: Path) -> Iterator[tuple[int, str]]:
    """The pieces of prose in a program or a page, by line."""
    source = text(ROOT / path)
    if path.suffix == ".md":
        yield from paragraphs(source)
    else:
        yield from strings(source, quotes=path.is_relative_to(QUOTE_OTHERS))
        yield from comments(source)


def faults(prose: str) -> Iterator[str]:
    """The words over which a reader stumbles, each with its sentence."""
    plain = re.sub(r"`[^`]*`", "`", " ".join(prose.split())).replace("**", "")
    for sentence in re.split(r"(?<=[.!?])\s+(?=[A-Z`'\"(])", ITEM.sub("", plain, count=1)):
        if sentence.endswith("?"):
            continue
        if OPENS.match(sentence) and len(sentence.split()) >= WORDS:
            yield f"name the subject: {sentence}"
        if ANEW.search(sentence):
            yield f"say again, or make a new one: {sentence}"
        if ELSE.search(sentence):
            yield f"say otherwise: {sentence}"
        if BEHIND.search(LAG.sub("", sentence)):
            yield f"say after: {sentence}"


def strings(source: str, *, quotes: bool) -> Iterator[tuple[int, str]]:
    """The paragraphs of docstrings and of all other strings; where a program quotes others, only
    its own words: docstrings, and messages of assertions."""
    for node in parts(ast.parse(source), quotes=quotes):
        if isinstance(node, ast.JoinedStr):
            pieces = [one.value if isinstance(one, ast.Constant) else "X" for one in node.values]
            said = "".join(map(str, pieces))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            said = node.value
        else:
            continue
        if len(said.split()) >= WORDS:
            yield from ((node.lineno, part) for part in re.split(r"\n\s*\n", said))


def parts(node: ast.AST, *, quotes: bool) -> Iterator[ast.AST]:
    """The nodes of a tree, without the pieces of f-strings; docstrings and messages alone."""
    for child in ast.iter_child_nodes(node):
        doc = isinstance(node, ast.Expr) and isinstance(child, ast.Constant)
        own = doc or (isinstance(node, ast.Assert) and child is node.msg)
        if not quotes or own:
            yield child
        if not isinstance(child, ast.JoinedStr):
            yield from parts(child, quotes=quotes and not own)


def comments(source: str) -> Iterator[tuple[int, str]]:
    """The comments without their marks; the lines of one comment are joined."""
    begin, last, words = 0, 0, ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT:
            continue
        line, alone = token.start[0], token.line.lstrip().startswith("#")
        if words and not (alone and line == last + 1):
            yield begin, words
            words = ""
        begin = begin if words else line
        words = f"{words} {token.string.lstrip('#').strip()}".strip()
        last = line if alone else 0
    yield begin, words


def paragraphs(source: str) -> Iterator[tuple[int, str]]:
    """The paragraphs, list items and table cells of a page; no code, headings, heads of tables."""
    begin, words, code = 0, "", False
    lines = source.splitlines()
    for number, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        fence, row = bool(FENCE.match(line)), line.startswith("|")
        code ^= fence
        plain = bool(line.strip()) and not (code or fence or row or HEADING.match(line))
        if words and (not plain or ITEM.match(line)):
            yield begin, words
            words = ""
        if plain:
            begin = begin if words else number
            words = f"{words} {line.strip()}".strip()
        elif row and not code and not RULE.match(below):
            yield from ((number, cell.strip()) for cell in line.split("|"))
    yield begin, words


PROGRAM = '''
"""What it holds. Whose turn is it? What is that?

Goes on behind the last command.
"""
# Those who wait
# are told anew.
held = 0  # else it is free
text = f"whoever asks {held} is told"
assert held, "what is held is not there"
refused("what others say is quoted")
'''
PAGE = """
# What it does

| What it holds | Else |
|---|---|
| what a row holds | it goes on behind the frame |

- **Who** comes late waits,
  or else comes again.

```
What code says is no prose.
```
What is outside is. Who asks, and where?
"""
GOOD = (
    "An owner behind a proxy; history is behind, and the stream falls 3 commands behind.",
    "The history is 2 commands behind the last command. All else stays; nothing else is done.",
    "`anew` is a name; `a if b else c` is code, and so is else: or else {.",
    "A value is a if b else c. This says what is held, and who holds it.",
    "What is it? Whatever its price, an order behind the door waits. Whole orders do.",
)


def test_each_fault_of_prose_is_seen() -> None:
    said = [(line, fault) for line, prose in comments(PROGRAM) for fault in faults(prose)]
    assert [(line, fault.partition(":")[0]) for line, fault in said] == [
        (6, "name the subject"), (6, "say again, or make a new one"), (8, "say otherwise"),
    ]  # fmt: skip
    every, own = ([fault for _, prose in strings(PROGRAM, quotes=quotes) for fault in faults(prose)]
                  for quotes in (False, True))  # fmt: skip
    assert own == [
        "name the subject: What it holds.",
        "say after: Goes on behind the last command.",
        "name the subject: what is held is not there",
    ]
    quoted = "name the subject: what others say is quoted"
    assert every == [*own[:2], "name the subject: whoever asks X is told", own[2], quoted]
    found = [(line, fault) for line, prose in paragraphs(PAGE) for fault in faults(prose)]
    assert found == [
        (6, "name the subject: what a row holds"),
        (6, "say after: it goes on behind the frame"),
        (8, "name the subject: Who comes late waits, or else comes again."),
        (8, "say otherwise: Who comes late waits, or else comes again."),
        (14, "name the subject: What is outside is."),
    ]


def test_good_prose_is_left_alone() -> None:
    none([fault for prose in GOOD for fault in faults(prose)])
