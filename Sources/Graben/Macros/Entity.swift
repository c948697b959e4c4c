#if GRABEN_MACROS
    /// Declares the entity.
    @attached(member, names: arbitrary)
    public macro Entity() = #externalMacro(module: "GrabenMacros", type: "EntityMacro")
#endif
