import Graben

// Words of the language as names of a class, of properties, lanes and relationships. The expansions lost the backticks, and lanes had
// none to lose, so that none of this compiled.

@Entity class `class`: ManagedObject {
    var `default`: Int = 7
    @Packed("in", "repeat") var `switch`: SIMD2<Double> = [1, 2]
    @Packed var `init`: Double?
    @Relationship(inverse: \`class`.`where`) var `for`: ToMany<`class`>
    var `where`: `class`?
    @FetchedProperty("#where == $FETCH_SOURCE") var `any`: [`class`]
}

@Entity final class Überbau: `class` {
    @Packed("länge", "höhe") var maß: SIMD2<Float>
    var 名前: String?
    /// Taken for no vector of Doubles before, with a sentence that said it was one.
    @Packed("u", "v") var qualified: SIMD2<Swift.Double>
    @Relationship var `some`: OrderedToMany<`class`>
}

enum Namespace {
    /// A class is written with and without what it stands in.
    @Entity final class Nested: ManagedObject {
        @Attribute(storage: \Namespace.Nested.field) var stored: Int = 0
        @Field var field = 0
        @Relationship(inverse: \Namespace.Nested.parent) var children: ToMany<Nested>
        var parent: Namespace.Nested?
    }
}
