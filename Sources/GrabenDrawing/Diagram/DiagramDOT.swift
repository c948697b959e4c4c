/// Writes a diagram in the language of Graphviz, which then lays it out; the same diagram gives the same bytes.
package struct DiagramDOT {
    private let diagram: Diagram

    package init(_ diagram: Diagram) { self.diagram = diagram }

    /// Hands the text to `output`, piece by piece.
    package func write<E: Error>(to output: (String) throws(E) -> Void) throws(E) {
        try output(
            """
            digraph "\(quoted(diagram.title))" {
              rankdir=LR;
              node [shape=plain, fontname="Helvetica", fontsize=11];
              edge [color="#2f5d9b", dir=both, arrowsize=0.7];

            """)
        for (number, box) in diagram.boxes.enumerated() { try output(text(of: box, number)) }
        for arrow in diagram.arrows {
            let heads = "arrowtail=\(name(arrow.fromHead)), arrowhead=\(name(arrow.toHead))"
            let color = arrow.toHead == .parent ? ", color=\"#8a8a8a\"" : ""
            try output("  \(name(arrow.from)) -> \(name(arrow.to)) [\(heads)\(color)];\n")
        }
        try output("}\n")
    }

    private func text(of box: Diagram.Box, _ number: Int) -> String {
        let title = box.title.markupEscaped
        var text = "  n\(number) [label=<<table border=\"1\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"3\">"
        text += "<tr><td port=\"title\" bgcolor=\"\(box.isAbstract ? "#eeeeee" : "#dfe8f5")\">"
        text += box.isAbstract ? "<i>\(title)</i></td></tr>" : "<b>\(title)</b></td></tr>"
        for (index, row) in box.rows.enumerated() {
            let name = row.style == .query ? "<i>\(row.name.markupEscaped)</i>" : row.name.markupEscaped
            // One cell for both, so that an arrow may leave the row on either side.
            let kind = row.kind.isEmpty ? "" : "   <font color=\"#767676\">\(row.kind.markupEscaped)</font>"
            text += "<tr><td port=\"r\(index)\" align=\"left\">\(name)\(kind)</td></tr>"
        }
        return text + "</table>>];\n"
    }

    private func name(_ end: Diagram.End) -> String { "n\(end.box):\(end.row.map { "r\($0)" } ?? "title")" }

    private func name(_ head: Diagram.Head) -> String {
        switch head {
        case .none: "none"
        case .one: "vee"
        case .many: "veevee"
        case .parent: "onormal"
        }
    }

    private func quoted(_ text: String) -> String {
        text.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: "\\\\")
            .split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\"")
    }
}
