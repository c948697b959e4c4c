extension ObjectPredicate {
    /// The keys of each path that begins at a variable; none for the variable alone. What follows an operator or an index is left out.
    package func paths(fromVariable name: String) -> [[String]] {
        var paths: [[String]] = []
        var walk = PredicateWalk(sawPath: { base, steps in
            guard base == .variable(name) else { return }
            var keys: [String] = []
            for step in steps {
                guard case .key(let key) = step else { break }
                keys.append(key)
            }
            paths.append(keys)
        })
        _ = walk.walk(root)
        return paths
    }

    /// The predicate as one about rows of a result: aggregates, key paths and variables become keys, named by whoever makes the rows.
    ///
    /// - Parameters:
    ///   - aggregate: the row's name for an aggregate over objects; nil where it is none.
    ///   - path: the row's name for a key path of the objects; nil for none, and for one key, which is looked for as it is.
    ///   - variable: the row's name for a variable; nil for none.
    package func aboutRows(
        aggregate: @escaping (ObjectExpression) -> String?, path: @escaping (String) -> String?, variable: @escaping (String) -> String?
    ) -> ObjectPredicate {
        func key(_ name: String) -> ValueExpression { .path(.object, [.key(name)]) }
        var walk = PredicateWalk(
            replaceVariable: { variable($0).map(key) },
            replaceFunction: { function, arguments in
                guard function.isAggregate else { return nil }
                return aggregate(ObjectExpression(root: .function(function, arguments))).map(key)
            },
            replacePath: { base, steps in
                guard let keys = ObjectExpression(root: .path(base, steps)).keyPath else { return nil }
                return path(keys.joined(separator: ".")).map(key)
            })
        return ObjectPredicate(root: walk.walk(root))
    }
}
