/// What a model file says and Graben has no use for, kept so that it is there when the file is written again.
///
/// A path leads from the description's own element down to the one that is meant: `fetchRequest`, or `userInfo/entry[1]` for the second
/// `entry` in `userInfo`; the empty path is the element itself.
public struct ForeignContent: Sendable, Equatable {
    /// The values of attributes, by path and name: `syncable`, `fetchRequest/comment`.
    public var attributes: [String: String]
    /// Elements, in the order of the file.
    public var elements: [Child]

    /// An element and where it belongs.
    public struct Child: Sendable, Equatable {
        /// The path of the element it is in.
        public var path: String
        /// The element.
        public var element: ForeignElement

        /// Places an element.
        public init(path: String = "", _ element: ForeignElement) {
            self.path = path
            self.element = element
        }
    }

    /// Nothing, or what is given.
    public init(attributes: [String: String] = [:], elements: [Child] = []) {
        self.attributes = attributes
        self.elements = elements
    }

    /// Whether there is nothing.
    public var isEmpty: Bool { attributes.isEmpty && elements.isEmpty }
}

/// An element of a model file that is kept as it is.
public struct ForeignElement: Sendable, Equatable {
    /// The element's name.
    public var name: String
    /// Its attributes.
    public var attributes: [String: String]
    /// Its elements, in the order of the file.
    public var children: [ForeignElement]
    /// Its text, without the space at both ends.
    public var text: String

    /// An element.
    public init(_ name: String, attributes: [String: String] = [:], children: [ForeignElement] = [], text: String = "") {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }
}
