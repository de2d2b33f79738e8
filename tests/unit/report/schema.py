# SPDX-License-Identifier: LGPL-2.1-or-later
"""schema.py SCHEMA DOCUMENT...: validates documents, and checks that the schema refuses damaged ones."""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)


def walk(node, path=()):
    yield path, node
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, value in items:
        yield from walk(value, path + (key,))


def damaged(document):
    """Every object of the document once with an unknown member, outside of the free-form ones."""
    for path, node in walk(document):
        if isinstance(node, dict) and not {"identity", "facts"} & set(path):
            broken = copy.deepcopy(document)
            target = broken
            for key in path:
                target = target[key]
            target["unknown-member"] = 1
            yield path, broken


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    bad = 0
    if len(sys.argv) < 3:
        sys.exit("no documents")
    for name in sys.argv[2:]:
        with open(name, encoding="utf-8") as file:
            document = json.load(file)
        for error in validator.iter_errors(document):
            print(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message}")
            bad += 1
        for path, broken in damaged(document):
            if validator.is_valid(broken):
                print(f"{name}: the schema accepts an unknown member at {'/'.join(map(str, path))}")
                bad += 1
        for member in ("goldsmith", "schema", "command", "summary", "sources"):
            if validator.is_valid({k: v for k, v in document.items() if k != member}):
                print(f"{name}: the schema does not require {member}")
                bad += 1
        for source in document["sources"]:
            broken = copy.deepcopy(document)
            broken["sources"] = [dict(source, status="ok" if source["status"] == "failed" else "failed")]
            if validator.is_valid(broken):
                print(f"{name}: the schema accepts a status that contradicts the error")
                bad += 1
    print(f"{len(sys.argv) - 2} documents, {bad} problems")
    sys.exit(1 if bad else 0)


main()
