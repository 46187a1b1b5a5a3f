#if canImport(CoreLocation)
  import AppCenter
  import CoreLocation

  /// Reports the device's country on devices without a SIM: the documentation's sample, corrected.
  ///
  /// Create one when the app launches and keep it. An accuracy of one kilometre is enough for a country.
  final class Country: NSObject, CLLocationManagerDelegate {
    private let locations = CLLocationManager()

    override init() {
      super.init()
      locations.delegate = self
      locations.desiredAccuracy = kCLLocationAccuracyKilometer
      #if !os(macOS)
        locations.requestWhenInUseAuthorization()
      #endif
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
      #if os(macOS)
        let isAllowed = manager.authorizationStatus == .authorizedAlways
      #else
        let isAllowed = [.authorizedWhenInUse, .authorizedAlways].contains(manager.authorizationStatus)
      #endif
      if isAllowed { manager.requestLocation() }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
      guard let location = locations.last else { return }
      CLGeocoder().reverseGeocodeLocation(location) { placemarks, error in
        guard error == nil, let country = placemarks?.first?.isoCountryCode else { return }
        AppCenter.countryCode = country
      }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      print("Failed to find user's location: \(error.localizedDescription)")
    }
  }
#endif
