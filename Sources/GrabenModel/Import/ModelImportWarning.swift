/// A place in a model file.
public struct ModelFilePlace: Sendable, Hashable {
    /// The file's path as it was given, or the folder's with what is in it.
    public var file: String
    /// The line, counted from 1; nil where it is about the file as a whole.
    public var line: Int?
    /// The element, for people: `attribute "x" of entity "Joint"`; nil where it is about the file as a whole.
    public var element: String?

    init(_ file: String, line: Int? = nil, element: String? = nil) {
        self.file = file
        self.line = line
        self.element = element
    }
}

/// Something in a model file that was read otherwise than it may have been meant, or kept without being used.
public struct ModelImportWarning: Sendable, Hashable {
    /// Where it stands.
    public let place: ModelFilePlace
    /// What it is and what became of it: a sentence without the place.
    public let reason: String
}

/// Something in a model file that cannot be read.
public struct ModelImportProblem: Sendable, Hashable {
    /// Where it stands.
    public let place: ModelFilePlace
    /// What is wrong with it: a sentence without the place.
    public let reason: String
}

extension ModelFilePlace: CustomStringConvertible {
    /// File, line and element, for people.
    public var description: String {
        file + (line.map { ", line \($0)" } ?? "") + (element.map { ", \($0)" } ?? "")
    }
}

extension ModelImportWarning: CustomStringConvertible {
    /// The place and what is there, for people.
    public var description: String { "\(place): \(reason)" }
}

extension ModelImportProblem: CustomStringConvertible {
    /// The place and what is wrong there, for people.
    public var description: String { "\(place): \(reason)" }
}
