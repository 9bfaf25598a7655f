import Foundation
import ParleyProtocol
import ParleyRules
import Testing

/// A zone as Foundation has it.
func zone(_ name: String) throws -> CivilZone {
    let zone = try #require(TimeZone(identifier: name))
    return CivilZone { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0.milliseconds) / 1000)) }
}

func time(_ text: String) throws -> Timestamp { try #require(Timestamp(text)) }
func day(_ text: String) throws -> CivilDay { try #require(CivilDay(text)) }
func week(_ text: String) throws -> ISOWeek { try #require(ISOWeek(text)) }
