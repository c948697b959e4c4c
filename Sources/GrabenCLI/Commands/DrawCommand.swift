enum DrawCommand { static func run(_ session: Session) throws {} }
