"""Extensions of schemathesis."""

import schemathesis

# Bodies of lines and of hits are texts for the tests.
schemathesis.serializer.alias(["application/x-ndjson"], "text/plain")
