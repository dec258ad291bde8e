"""Puts many mutants into the source files. Each is behind a switch, so one build serves all of them."""

import re
from dataclasses import dataclass

import tree_sitter
import tree_sitter_rust

LEFT_OUT = re.compile(rb"#\[cfg\((not\((feature|unix|target_os)|windows|target_os = \"(?!linux)|target_(arch|family) = \"wasm)")
LANGUAGE = tree_sitter.Language(tree_sitter_rust.language())
# A module of each changed crate. The file names the active mutant; it is not an environment variable, because some tests
# start programs without the environment. With `all` in it, each switch that is asked for the first time is recorded.
MODULE = """
#[allow(warnings, clippy::all, clippy::pedantic)]
pub(crate) mod mutant_switch {
    extern crate std;
    use std::io::{Read as _, Write as _};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};

    const ALL: u32 = u32::MAX;
    static ACTIVE: OnceLock<u32> = OnceLock::new();
    static SEEN: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];

    // Without an allocation: some tests count them.
    fn active() -> u32 {
        let mut text = [0_u8; 16];
        let Ok(mut file) = std::fs::File::open("FOLDER/active") else { return 0 };
        let read = file.read(&mut text).unwrap_or(0);
        if &text[..read] == b"all" {
            return ALL;
        }
        text[..read].iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))
    }

    pub(crate) fn is(number: u32) -> bool {
        let active = *ACTIVE.get_or_init(active);
        if active == ALL && !SEEN[number as usize].swap(true, Ordering::Relaxed) {
            let file = std::fs::OpenOptions::new().append(true).open("FOLDER/reached");
            let _ = file.and_then(|mut file| std::writeln!(file, "{number}"));
        }
        active == number
    }
}
"""


@dataclass
class Change:
    number: int
    genre: str
    start: int
    end: int
    replacement: str


def module(count, folder):
    return MODULE.replace("COUNT", str(count)).replace("FOLDER", str(folder))


def is_on(change):
    return f"crate::mutant_switch::is({change.number})"


def marked(change, text):
    return f"/*<{change.number}*/{text}/*{change.number}>*/"


class File:
    """A source file and the changes that can have a switch; `refused` has the numbers of the others."""

    def __init__(self, source, changes):
        self.source, self.refused, self.impossible = source, [], []
        self.by_node = {}
        self.root = tree_sitter.Parser(LANGUAGE).parse(source).root_node
        for change in changes:
            self.place(change)

    def place(self, change):
        node = self.root.descendant_for_byte_range(change.start, max(change.start + 1, change.end))
        if self.in_constant(node) or self.is_left_out(node):
            return self.refused.append(change.number)
        kinds = {
            "FnValue": ("block",),
            "BinaryOperator": ("binary_expression", "compound_assignment_expr"),
            "UnaryOperator": ("unary_expression",),
            "MatchArmGuard": ("match_pattern",),
            "MatchArm": ("match_arm",),
            "StructField": ("struct_expression",),
        }[change.genre]
        while node and node.type not in kinds:
            if node.type == "let_chain" and change.genre == "BinaryOperator":
                # `||` beside a `let` is not Rust.
                return self.impossible.append(change.number)
            node = node.parent
        if change.genre == "FnValue":
            # The span is the content of the block.
            while node and node.parent.type != "function_item":
                node = node.parent
            returns = node and node.parent.child_by_field_name("return_type")
            # Another type than that of the rest of the body.
            if returns and b"impl " in returns.text:
                return self.refused.append(change.number)
        if not node:
            return self.refused.append(change.number)
        if change.genre == "MatchArm":
            node = node.child_by_field_name("pattern")
        self.by_node.setdefault(node.id, []).append(change)

    @staticmethod
    def in_constant(node):
        inner = node
        while node:
            if node.type in ("const_item", "static_item", "attribute_item", "array_type"):
                return True
            if node.type == "function_item":
                modifiers = next((child for child in node.children if child.type == "function_modifiers"), None)
                return bool(modifiers) and b"const" in modifiers.text.split() and inner is not node
            node = node.parent
        return False

    @staticmethod
    def is_left_out(node):
        """Returns whether a build with all features on Linux does not have this code."""
        while node:
            before = node.prev_sibling
            while before and before.type in ("attribute_item", "line_comment"):
                if LEFT_OUT.match(before.text):
                    return True
                before = before.prev_sibling
            node = node.parent
        return False

    def text(self, node):
        return self.source[node.start_byte : node.end_byte].decode()

    def written(self):
        return self.write(self.root)

    def write(self, node):
        """Returns the text of a node with all its switches."""
        changes = self.by_node.get(node.id, ())
        if not changes:
            return self.write_children(node)
        if node.type == "block":
            rest = self.write_children(node)
            guards = "".join(f"if {is_on(one)} {{ return {marked(one, one.replacement)}; }} " for one in changes)
            return "{ " + guards + rest[1:]
        if node.type == "match_pattern":
            return self.write_pattern(node, changes)
        # A mutated branch has no other switches, because one mutant is active at a time.
        branches = "".join(f"if {is_on(one)} {{ {marked(one, self.replaced(node, one))} }} else " for one in changes)
        return f"({branches}{{ {self.write_children(node)} }})"

    def replaced(self, node, change):
        before, after = self.source[node.start_byte : change.start], self.source[change.end : node.end_byte]
        if change.genre == "StructField":
            after = after.lstrip().removeprefix(b",")
        return (before + change.replacement.encode() + after).decode()

    def write_pattern(self, node, changes):
        condition = node.child_by_field_name("condition")
        if condition:
            pattern = self.source[node.start_byte : condition.start_byte].decode().rstrip().removesuffix("if")
            guard = f"({self.write(condition)})"
        else:
            pattern, guard = self.text(node), "true"
        for one in changes:
            if one.replacement == "true":
                guard = f"({marked(one, is_on(one))} || {guard})"
            else:
                guard = f"({marked(one, '!' + is_on(one))} && {guard})"
        return f"{pattern} if {guard}"

    def write_children(self, node):
        parts, position = [], node.start_byte
        for child in node.children:
            parts += [self.source[position : child.start_byte].decode(), self.write(child)]
            position = child.end_byte
        parts.append(self.source[position : node.end_byte].decode())
        return "".join(parts)
