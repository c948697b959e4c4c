enum CheckCommand { static func run(_ session: Session) throws {} }
