import Shapes

// Functions whose machine code `Scripts/outside.sh` looks at: each is to be loads alone while the object reads its column.

@inline(never) @_silgen_name("editor_read_lane")
func readLane(_ joint: Joint) -> Double { joint.y }

@inline(never) @_silgen_name("editor_read_point")
func readPoint(_ joint: Joint) -> SIMD3<Double> { joint.position }

@inline(never) @_silgen_name("editor_read_inherited_lane")
func readInheritedLane(_ valve: Valve) -> Double { valve.v }

@inline(never) @_silgen_name("editor_read_float_lane")
func readFloatLane(_ valve: Valve) -> Float { valve.opening }
