import Foundation
import Testing

@Suite("Drawings")
struct DrawTests {
    private struct Segment {
        let numbers: [Double]
    }

    /// The segments of the group of lines, and the box.
    private func parse(_ svg: String) throws -> (segments: [Segment], box: [Double], paths: Int) {
        func attribute(_ name: String, in tag: Substring) throws -> Substring {
            let start = try #require(tag.range(of: " \(name)=\""))
            let rest = tag[start.upperBound...]
            return rest[..<(try #require(rest.firstIndex(of: "\"")))]
        }
        let tags = svg.split(separator: "<")
        let box = try #require(tags.first { $0.hasPrefix("rect id=\"box\"") })
        let numbers = try ["x", "y", "width", "height"].map { try #require(Double(try attribute($0, in: box))) }
        var segments: [Segment] = []
        var paths = 0
        for tag in tags where tag.hasPrefix("path stroke=") {
            paths += 1
            for part in try attribute("d", in: tag).split(separator: "M") {
                segments.append(Segment(numbers: part.split { $0 == " " || $0 == "L" }.compactMap { Double($0) }))
            }
        }
        return (segments, numbers, paths)
    }

    @Test("the town's pipes are 1,061 segments inside the box, to scale, and the same bytes every time")
    func town() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        let first = try Tool.run("draw", store)
        #expect(first.status == 0 && first.errors.isEmpty)
        #expect(try Tool.run("draw", store, "-o", folder.path("a.svg")).status == 0)
        #expect(try String(contentsOfFile: folder.path("a.svg"), encoding: .utf8) == first.output)
        #expect(try Tool.run("draw", store, "--entity", "Joint", "--xy", "x,y", "--lines", "Line:start,end").output == first.output)
        let (segments, box, paths) = try parse(first.output)
        #expect(segments.count == 1061 && paths == 1)
        for segment in segments {
            #expect(segment.numbers.count == 4)
            for (place, number) in segment.numbers.enumerated() {
                let (low, span) = place % 2 == 0 ? (box[0], box[2]) : (box[1], box[3])
                #expect(number >= low - 0.005 && number <= low + span + 0.005)
            }
        }
        // Both directions have the same scale, and the longer one fills its side.
        let (width, height) = (5_810_617.2 - 5_709_604.87, 3_912_293.0 - 3_801_262.0)
        #expect(abs(box[2] / box[3] - width / height) < 1e-4 && max(box[2], box[3]) == 1000)
        // y is up: J-10 lies north of J-1, so it is higher on the sheet, where numbers grow downwards.
        let (x, y) = (box[0] + (5_763_552.05 - 5_709_604.87) / height * 1000, box[1] + (3_912_293.0 - 3_874_637) / height * 1000)
        #expect(
            segments.contains { $0.numbers.count == 4 && abs($0.numbers[0] - x) < 0.01 && abs($0.numbers[1] - y) < 0.01 }
                || segments.contains { $0.numbers.count == 4 && abs($0.numbers[2] - x) < 0.01 && abs($0.numbers[3] - y) < 0.01 })
        #expect(first.output.contains("935 Joint, 1,061 Line"))
    }

    @Test("colors and views draw the same segments, one path for each color")
    func colors() throws {
        let folder = try Folder()
        let store = try Fixtures.ky10(in: folder)
        for arguments in [["--color", "z"], ["--color", "diameter"], ["--color", "kind"], ["--view", "front"], ["--view", "iso"]] {
            let result = try Tool.run(["draw", store] + arguments)
            let (segments, _, paths) = try parse(result.output)
            #expect(segments.count == 1061 && paths <= 9, "\(arguments)")
        }
        let few = try Tool.run("draw", store, "--where", "kind == 'pump'", "--points")
        #expect(try parse(few.output).segments.count == 13 + 935)
    }

    @Test("points without a place, and points far apart, are no reason to crash")
    func strangePlaces() throws {
        let folder = try Folder()
        let model = try folder.write(
            "m.json",
            #"{"entities": [{"name": "P", "attributes": [{"name": "x", "type": "double", "packed": true}, {"name": "y", "type": "double", "packed": true}]}]}"#
        )
        for (name, rows, status) in [
            ("none", "", Int32(0)), ("one", "1,2\n", 0), ("odd", "nan,1\n,\ninf,3\n4,5\n", 0), ("same", "1,1\n1,1\n", 0),
            ("huge", "-1e308,0\n1e308,0\n", 65), ("tiny", "0,0\n5e-324,0\n", 65), ("wide", "-1e300,0\n1e300,1\n", 0),
        ] {
            let store = folder.path("\(name).graben")
            let table = try folder.write("P.csv", "x,y\n" + rows)
            #expect(try Tool.run("load", store, "--model", model, table).status == 0)
            let result = try Tool.run("draw", store)
            #expect(result.status == status && !result.wasKilled, "\(name): \(result.status) \(result.errors)")
        }
    }
}
