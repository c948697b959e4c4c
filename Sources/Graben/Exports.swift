// `import Graben` is all a program needs: values and ids, predicates and models come with it.
@_exported public import GrabenLog
@_exported public import GrabenModel
@_exported public import GrabenPredicate
