extension XcodeDraft {
    /// The whole file, laid out as Xcode does.
    ///
    /// - Throws: `ModelError.notExportable` where a text or name cannot stand in XML.
    func document() throws(ModelError) -> String {
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        try write(to: &text, indentation: "")
        return text
    }

    /// As deep as the descriptions go and foreign elements do, which is checked: a reader would refuse more.
    private func write(to text: inout String, indentation: String) throws(ModelError) {
        guard indentation.utf8.count < XMLTreeReader.depthLimit * 4 else {
            throw .notExportable(place: place, reason: "foreign elements are nested deeper than \(XMLTreeReader.depthLimit) levels")
        }
        text += indentation + "<" + (try checked(name: name))
        for attribute in attributes { text += " \(try checked(name: attribute.name))=\"\(try escaped(attribute.value))\"" }
        if children.isEmpty, self.text.isEmpty {
            text += "/>"
            return
        }
        text += ">" + (try escaped(self.text))
        for child in children {
            text += "\n"
            try child.write(to: &text, indentation: indentation + "    ")
        }
        text += (children.isEmpty ? "" : "\n" + indentation) + "</\(name)>"
    }

    /// The text as an attribute's value; line ends and tabs are written as numbers, or they would come back as spaces.
    private func escaped(_ text: String) throws(ModelError) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\0"..."\u{1F}", "\u{FFFE}", "\u{FFFF}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                let code = String(repeating: "0", count: max(0, 4 - digits.count)) + digits
                throw .notExportable(place: place, reason: "the character U+\(code) in \(name) has no place in XML")
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private func checked(name: String) throws(ModelError) -> String {
        var scalars = name.unicodeScalars.makeIterator()
        func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar == "_" || scalar == ":" || scalar.properties.isXIDStart }
        func isRest(_ scalar: Unicode.Scalar) -> Bool {
            isLetter(scalar) || scalar == "-" || scalar == "." || scalar.properties.isXIDContinue
        }
        var isName = scalars.next().map(isLetter) ?? false
        while let scalar = scalars.next() { isName = isName && isRest(scalar) }
        guard isName else { throw .notExportable(place: place, reason: "\"\(name)\" in its foreign content is no name in XML") }
        return name
    }
}
