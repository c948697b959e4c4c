import Graben

/// The library's error that `body` throws; nil where it throws none.
func thrown(_ body: () throws -> Void) -> GrabenError? {
    do { try body() } catch { return error as? GrabenError }
    return nil
}
