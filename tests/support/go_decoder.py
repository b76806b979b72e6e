"""A decoder in Go, written from the venue's own document, as strict as typed clients are.

Numbers must be numbers and texts texts; no field is unknown, none that is required is missing.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from support.tools import needed
from support.waits import WAIT_S

REFERENCE: Final = "#/components/schemas/"
MAIN: Final = """
// Reads lines of a type's name, a tab and JSON; prints those that the type refuses.
func refusal(name string, text []byte) string {
	for _, make := range kinds[name] {
		value := make()
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		problem := ""
		if err := decoder.Decode(value); err != nil {
			problem = err.Error()
		} else {
			problem = missing(reflect.ValueOf(value), name)
		}
		if problem == "" {
			return ""
		}
		told[name] = problem
	}
	return told[name]
}

// The first required field that is not there.
func missing(value reflect.Value, place string) string {
	switch value.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !value.IsNil() {
			return missing(value.Elem(), place)
		}
	case reflect.Slice:
		for number := 0; number < value.Len(); number++ {
			if found := missing(value.Index(number), place); found != "" {
				return found
			}
		}
	case reflect.Map:
		for _, key := range value.MapKeys() {
			if found := missing(value.MapIndex(key), place); found != "" {
				return found
			}
		}
	case reflect.Struct:
		for number := 0; number < value.NumField(); number++ {
			field := value.Type().Field(number)
			inner := place + "." + field.Tag.Get("json")
			if field.Tag.Get("need") == "1" && value.Field(number).IsNil() {
				return inner + " is missing"
			}
			if found := missing(value.Field(number), inner); found != "" {
				return found
			}
		}
	}
	return ""
}

var told = map[string]string{}

func main() {
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := lines.ReadBytes('\\n')
		if len(line) > 0 {
			name, text, _ := bytes.Cut(line, []byte("\\t"))
			if problem := refusal(string(name), text); problem != "" {
				fmt.Printf("%s: %s\\n", name, problem)
			}
		}
		if err != nil {
			return
		}
	}
}
"""
HEAD: Final = """package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
)
"""
PLAIN: Final = {"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}


class Source:
    """The Go source of a document's types."""

    def __init__(self, components: dict[str, Any]) -> None:
        self._components = components
        self._types: dict[str, str] = {}
        self._kinds: list[str] = []

    def add(self, name: str, schema: dict[str, Any]) -> None:
        """A type under which answers come: one, or any of several."""
        forms = schema.get("anyOf", [schema])
        made = ", ".join(f"func() any {{ return new({self._type(form)}) }}" for form in forms)
        self._kinds.append(f"\t{json.dumps(name)}: {{{made}}},")

    def text(self) -> str:
        kinds = "\n".join(self._kinds)
        types = "\n".join(self._types.values())
        return f"{HEAD}\nvar kinds = map[string][]func() any{{\n{kinds}\n}}\n\n{types}{MAIN}"

    def _type(self, schema: dict[str, Any]) -> str:
        """Anything that may also be null is a pointer, as every field is."""
        if "$ref" in schema:
            return self._named(schema["$ref"].removeprefix(REFERENCE))
        if "anyOf" in schema:
            forms = {self._type(one) for one in schema["anyOf"] if one.get("type") != "null"}
            return forms.pop() if len(forms) == 1 else "any"
        kind = schema.get("type")
        if kind == "array":
            places = schema.get("prefixItems") or [schema.get("items") or {}]
            items = {self._type(one) for one in places}
            return f"[]{items.pop() if len(items) == 1 else 'any'}"
        if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
            return f"map[string]{self._type(schema['additionalProperties'])}"
        if kind is None and "enum" in schema:
            kind = "string" if all(isinstance(one, str) for one in schema["enum"]) else None
        return PLAIN.get(str(kind), "any")

    def _named(self, name: str) -> str:
        go = f"T_{name}"
        if go in self._types:
            return go
        schema = self._components[name]
        if schema.get("type") != "object" or "properties" not in schema:
            return self._type(schema)
        self._types[go] = ""  # it may refer to itself
        required = schema.get("required", ())
        fields = [
            f"\tF{number} *{self._type(one)}"
            f' `json:"{field}" need:"{int(field in required and not _may_be_null(one))}"`'
            for number, (field, one) in enumerate(schema["properties"].items())
        ]
        self._types[go] = f"type {go} struct {{\n" + "\n".join(fields) + "\n}\n"
        return go


def _may_be_null(schema: dict[str, Any]) -> bool:
    return any(one.get("type") == "null" for one in schema.get("anyOf", ()))


def built(source: Source, folder: Path) -> Path:
    """The decoder, compiled."""
    go = needed("go")
    (folder / "main.go").write_text(source.text(), encoding="utf-8")
    (folder / "go.mod").write_text("module decoder\n\ngo 1.18\n", encoding="utf-8")
    command = [go, "build", "-o", "decoder", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == 0, done.stderr
    return folder / "decoder"


def refused(decoder: Path, answers: Iterable[tuple[str, bytes]]) -> list[str]:
    """The refusals of the decoder, of JSON texts with the names of their types."""
    lines = b"".join(b"%s\t%s\n" % (name.encode(), text) for name, text in answers)
    done = subprocess.run([decoder], input=lines, capture_output=True, timeout=WAIT_S, check=True)
    return done.stdout.decode().splitlines()
