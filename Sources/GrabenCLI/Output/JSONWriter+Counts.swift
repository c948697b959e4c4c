extension JSONWriter {
    /// What a commit did, or lost, as fields of the object that is being written: the same names wherever commits are told of.
    func counts(inserted: Int, updated: Int, deleted: Int, moved: Int, links: Int) throws(CLIError) {
        try field("inserted", inserted)
        try field("updated", updated)
        try field("deleted", deleted)
        try field("moved", moved)
        try field("links", links)
    }
}
