//! Prints the trees of Rust sources, which a null byte parts, without brackets.
use std::io::{Read, Write};
use syn::visit_mut::{visit_expr_mut, VisitMut};

struct Bare;

impl VisitMut for Bare {
    fn visit_expr_mut(&mut self, node: &mut syn::Expr) {
        while let syn::Expr::Paren(group) = node {
            *node = (*group.expr).clone();
        }
        visit_expr_mut(self, node);
    }
}

fn main() {
    let mut given = String::new();
    std::io::stdin().read_to_string(&mut given).unwrap();
    let trees: Vec<String> = given
        .split('\0')
        .map(|source| match syn::parse_file(source) {
            Ok(mut file) => {
                Bare.visit_file_mut(&mut file);
                format!("{:?}", file)
            }
            Err(_) => String::new(),
        })
        .collect();
    std::io::stdout().write_all(trees.join("\0").as_bytes()).unwrap();
}
