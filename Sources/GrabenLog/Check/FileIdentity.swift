/// Which log a file is, found out even where its header page is bad.
struct FileIdentity {
    /// The header page; nil where that is bad.
    let header: FileHeader?
    /// The salt that the file's frames have.
    let salt: UInt64
    /// What is wrong with the header page.
    let flaw: String?

    /// Throws `notAStore` for a file that neither begins as one nor has a frame of one, and `unsupportedVersion`.
    init(_ file: any LogFile, _ region: MappedRegion, limit: UInt64, path: String) throws(LogError) {
        do throws(LogError) {
            let header = try FileHeader.read(file, path: path)
            (self.header, salt, flaw) = (header, header.salt, nil)
        } catch {
            let reason: String
            switch error {
            case .damaged(_, _, let text), .notAStore(_, let text): reason = text
            default: throw error
            }
            guard let salt = FrameWalk.salt(region.base, limit: limit) else {
                if case .damaged = error {
                    throw .damaged(path: path, offset: 0, reason: "\(reason), and there is no frame that tells the salt")
                }
                throw error
            }
            (header, self.salt, flaw) = (nil, salt, reason)
        }
    }
}
