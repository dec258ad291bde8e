//! Links between files.

/// Returns the path of a file relative to a folder. Both are given relative to the same root, with `/`.
///
/// ```
/// use methodical_codegen::text::relative;
/// assert_eq!(relative("docs/generated/operations", "docs/service.md"), "../../service.md");
/// assert_eq!(relative("docs", "docs/generated/types.md"), "generated/types.md");
/// ```
pub fn relative(folder: &str, file: &str) -> String {
    let parts: Vec<_> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let common = parts.iter().zip(file.split('/')).take_while(|(one, other)| *one == other).count();
    let up = parts.iter().skip(common).map(|_| "..");
    up.chain(file.split('/').skip(common)).collect::<Vec<_>>().join("/")
}
