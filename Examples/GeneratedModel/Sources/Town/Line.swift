import Graben

/// A line between two joints. The model leaves the class to the program, which has something of its own in it; the properties are
/// generated as an extension.
final class Line: Part {
    /// The distance between the ends; 0 while one is missing.
    var length: Double {
        guard let start, let end else { return 0 }
        let way = end.position - start.position
        return (way * way).sum().squareRoot()
    }
}
