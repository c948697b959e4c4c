/// A point in a log's history.
package enum LogMoment: Sendable, Hashable {
    case commit(UInt64)
    /// The last commit made at or before a time, in seconds since the first instant of 2001.
    case time(Double)
}

extension LogMoment: CustomStringConvertible {
    package var description: String {
        switch self {
        case .commit(let number): "commit \(number)"
        case .time(let time): "commit made at \(Platform.text(ofTime: time)) or before"
        }
    }
}
