/// Takes the place of the Google Analytics SDK for iOS v3; the surface comes with the next step.
enum Placeholder {}
