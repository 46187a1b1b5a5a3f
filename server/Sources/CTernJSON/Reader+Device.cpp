#include "Reader.hpp"

using tern::is;
using tern::Walker;

bool tern_reader::device(Walker &walker, int32_t &index) {
  if (walker.peek() != '{') return walker.skip();
  // A client of our own protocol learns of its mistake. An App Center client would erase its queue, so there the last
  // block of a log counts.
  if (index >= 0 && shape == TERN_SHAPE_LINES) return walker.fail("a second device or app in one object");
  // Nearly all logs of a request repeat the block of the one before, byte for byte.
  size_t newest = devices.size(), oldest = newest > 4 ? newest - 4 : 0;
  for (size_t candidate = newest; candidate-- > oldest;) {
    const tern_device &known = devices[candidate];
    if (walker.bytes_left() >= known.raw.length
        && std::memcmp(walker.pointer(), known.raw.start, known.raw.length) == 0) {
      index = int32_t(candidate);
      return walker.jump(known.positions);
    }
  }
  tern_device device = {};
  device.raw.start = walker.pointer();
  uint32_t place = walker.place();
  bool is_first = true;
  if (!walker.enter('{')) return false;
  while (walker.next('}', is_first)) {
    tern_text name = {};
    if (!walker.name(name)) return false;
    if (!device_member(walker, name, device)) return false;
  }
  if (walker.problem()) return false;
  device.raw.length = uint32_t(walker.last_end() - device.raw.start);
  device.positions = walker.place() - place;
  // In the place of the one before it: else one log could make the list of devices as long as the body.
  if (index >= 0 && size_t(index) >= devices_before) {
    devices[size_t(index)] = device;
    return true;
  }
  index = int32_t(devices.size());
  devices.push_back(device);
  return true;
}

bool tern_reader::device_member(Walker &walker, const tern_text &name, tern_device &device) {
  switch (name.length) {
  case 5:
    if (is(name, "model")) return walker.lenient_text(device.model);
    if (is(name, "build")) return walker.lenient_text(device.app_build);
    break;
  case 6:
    if (is(name, "osName")) return walker.lenient_text(device.os_name);
    if (is(name, "locale")) return walker.lenient_text(device.locale);
    break;
  case 7:
    if (is(name, "country")) return walker.lenient_text(device.country);
    if (is(name, "sdkName")) return walker.lenient_text(device.sdk_name);
    if (is(name, "version")) return walker.lenient_text(device.app_version);
    break;
  case 8:
    if (is(name, "appBuild")) return walker.lenient_text(device.app_build);
    break;
  case 9:
    if (is(name, "osVersion")) return walker.lenient_text(device.os_version);
    break;
  case 10:
    if (is(name, "appVersion")) return walker.lenient_text(device.app_version);
    if (is(name, "sdkVersion")) return walker.lenient_text(device.sdk_version);
    break;
  case 14:
    if (is(name, "carrierCountry")) return walker.lenient_text(device.carrier_country);
    if (is(name, "timeZoneOffset")) {
      tern_value offset = {};
      if (!walker.value(offset)) return false;
      if (offset.kind == TERN_VALUE_INTEGER) device.time_zone_offset = offset.integer;
      return true;
    }
    break;
  }
  return walker.skip();
}
