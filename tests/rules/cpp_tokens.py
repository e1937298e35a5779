"""Reads C and C++ text as far as the rules need it: tokens with their lines, without comments, preprocessor lines and
the inside of strings."""
import re

token = re.compile(r"""
    (?P<skip>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/|\s+)
  | (?P<raw>(?:u8|[uUL])?R"(?P<fence>[^(\s]*)\(.*?\)(?P=fence)")
  | (?P<text>(?:u8|[uUL])?"(?:[^"\\\n]|\\.)*"|(?:u8|[uUL])?'(?:[^'\\\n]|\\.)+')
  | (?P<number>\.?\d(?:'?[\w.]|(?<=[eEpP])[+-])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<mark>::|->|.)
""", re.X | re.S)
preprocessor = re.compile(r"^[ \t]*\#(?:[^\n\\]|\\.|\\\n)*", re.M | re.S)


def tokens(text):
    """Yields pairs (token, line); a string is the token '""'."""
    blanked = preprocessor.sub(lambda found: "\n" * found.group().count("\n"), text)
    line = 1
    for found in token.finditer(blanked):
        kind, word = found.lastgroup, found.group()
        if kind == "fence":
            kind = "raw"
        if kind in ("raw", "text"):
            yield '""', line
        elif kind != "skip":
            yield word, line
        line += word.count("\n")


def without_attributes(words):
    """Returns a declaration's words without template heads, attributes and alignas."""
    plain, at = [], 0
    while at < len(words):
        word = words[at]
        if word in ("template", "alignas", "__attribute__",
                    "requires") and at + 1 < len(words) and words[at + 1] in "<(":
            opening, closing = ("<", ">") if words[at + 1] == "<" else ("(", ")")
            at, depth = at + 1, 0
            while at < len(words):
                depth += (words[at] == opening) - (words[at] == closing)
                at += 1
                if depth == 0:
                    break
        elif word == "[" and words[at + 1:at + 2] == ["["]:
            while at < len(words) and words[at:at + 2] != ["]", "]"]:
                at += 1
            at += 2
        else:
            plain.append(word)
            at += 1
    return plain


def scope_of(words):
    """Returns what a `{` opens after these words: ("namespace", name), ("type", name), ("extern", "") or ("other", "").
    The name of an unnamed namespace or type is empty."""
    words = without_attributes(words)
    if words[:1] == ["inline"] and words[1:2] == ["namespace"]:
        words = words[1:]
    if words[:1] == ["namespace"]:
        return "namespace", "".join(words[1:])
    if words[:1] == ["extern"] and words[-1] == '""':
        return "extern", ""
    while words and words[0] in ("typedef", "static", "constexpr", "constinit", "inline", "const", "export"):
        words = words[1:]
    if not words or words[0] not in ("class", "struct", "union", "enum"):
        return "other", ""
    name = []
    for word in words[2 if words[1:2] in (["class"], ["struct"]) else 1:]:
        if word in (":", "final"):
            break
        name.append(word)
    if "(" in name or "=" in name:  # struct Name function(...) { ... } and struct Name variable = { ... }
        return "other", ""
    return "type", "".join(name)


def definitions(text):
    """Finds the types that are defined, or named by an alias, directly in a namespace, as pairs (qualified name, line).
    Types in unnamed namespaces belong to their file alone and are left out."""
    scopes, statement, since = [], [], 0
    parentheses = 0
    for word, line in tokens(text):
        if word == "{" and parentheses == 0:
            kind, name = scope_of(statement)
            outer = [inner for what, inner in scopes if what != "extern"]
            in_namespace = all(what in ("namespace", "extern") for what, _ in scopes)
            if kind == "type" and name and in_namespace and "" not in outer and "<" not in name:
                yield "::".join([*outer, name]), since
            scopes.append((kind, name))
            statement = []
        elif word == "}" and parentheses == 0:
            if scopes:
                scopes.pop()
            statement = []
        elif word == ";" and parentheses == 0:
            words = without_attributes(statement)
            outer = [inner for what, inner in scopes if what != "extern"]
            if words[:1] == ["using"] and words[2:3] == ["="] and "" not in outer and all(
                    what in ("namespace", "extern") for what, _ in scopes):
                yield "::".join([*outer, words[1]]), since
            statement = []
        else:
            parentheses += (word in "([") - (word in ")]") if word in "()[]" else 0
            if not statement:
                since = line
            statement.append(word)
