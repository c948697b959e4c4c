/// Boxes with rows of text, and arrows between them: what a model's picture is made of. It knows no model.
package struct Diagram: Sendable {
    package struct Row: Sendable {
        package enum Style: Sendable { case plain, link, query }

        package var name: String
        package var kind: String
        package var style: Style

        package init(_ name: String, _ kind: String, _ style: Style = .plain) {
            self.name = name
            self.kind = kind
            self.style = style
        }
    }

    package struct Box: Sendable {
        package var title: String
        /// Whether the title stands for something that has no objects of its own, and is slanted.
        package var isAbstract: Bool
        package var rows: [Row]

        package init(_ title: String, isAbstract: Bool = false, rows: [Row] = []) {
            self.title = title
            self.isAbstract = isAbstract
            self.rows = rows
        }
    }

    /// One end of an arrow: a box, and the row in it where it is about one.
    package struct End: Sendable, Hashable {
        package var box: Int
        package var row: Int?

        package init(_ box: Int, row: Int? = nil) {
            self.box = box
            self.row = row
        }
    }

    /// What an arrow has at an end.
    package enum Head: Sendable { case none, one, many, parent }

    package struct Arrow: Sendable {
        package var from: End
        package var to: End
        package var fromHead: Head
        package var toHead: Head

        package init(from: End, to: End, fromHead: Head = .none, toHead: Head) {
            self.from = from
            self.to = to
            self.fromHead = fromHead
            self.toHead = toHead
        }
    }

    package var title: String
    package var boxes: [Box]
    /// Every end names a box, and a row it has.
    package var arrows: [Arrow]

    package init(_ title: String, boxes: [Box], arrows: [Arrow]) {
        self.title = title
        self.boxes = boxes
        self.arrows = arrows
    }
}
