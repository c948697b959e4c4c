/// What the command line asks for.
struct Options {
    /// Joints, and lines; a million unless said.
    var count = 1_000_000
    var isQuick = false
    /// Names of workloads, or beginnings of names that end with a dot or are whole parts ("lookup", "lookup.objects").
    var only: [String] = []
    var jsonPath: String?
    var directory: String?
    /// Measure the peers also where Graben has nothing to show yet.
    var includesPeersAlone = false
    var listsNames = false
    /// Only load the network into a new store at this path: what the benchmark has a process of its own do.
    var loadPath: String?
    var asksForHelp = false

    static let usage = """
        usage: GrabenBenchmarks [--quick] [--only NAME]... [--json PATH] [--n COUNT] [--dir PATH] [--peers] [--list]

          --quick       100,000 joints and lines and three rounds at most: under a minute
          --only NAME   one workload, or all whose names begin with these words ("lookup.objects"); may be given again
          --json PATH   write the figures as a JSON list as well
          --n COUNT     joints, and lines (1,000,000 unless said)
          --dir PATH    where the stores are made and removed again (a directory below the working one unless said)
          --peers       measure the peers also where Graben is not measured
          --list        print the names and stop
        """

    init(arguments: [String]) throws {
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let next = rest.popFirst() else { throw BenchmarkError("\(option) needs a value.\n\n\(Self.usage)") }
            return next
        }
        var explicitCount: Int?
        while let argument = rest.popFirst() {
            switch argument {
            case "--quick": isQuick = true
            case "--only": only.append(try value(of: argument))
            case "--json": jsonPath = try value(of: argument)
            case "--n":
                let text = try value(of: argument)
                guard let number = Int(text), (1024...100_000_000).contains(number) else {
                    throw BenchmarkError("--n \(text): a number from 1,024 to 100,000,000 is needed.")
                }
                explicitCount = number
            case "--dir": directory = try value(of: argument)
            case "--peers": includesPeersAlone = true
            case "--list": listsNames = true
            case "--load": loadPath = try value(of: argument)
            case "--help", "-h": asksForHelp = true
            default: throw BenchmarkError("Unknown argument \(argument).\n\n\(Self.usage)")
            }
        }
        count = explicitCount ?? (isQuick ? 100_000 : 1_000_000)
    }

    func selects(_ name: String) -> Bool {
        only.isEmpty || only.contains { name == $0 || name.hasPrefix($0.hasSuffix(".") ? $0 : $0 + ".") }
    }
}
