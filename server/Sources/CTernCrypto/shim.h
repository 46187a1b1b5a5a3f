// OpenSSL's libcrypto. OpenSSL keeps pointers into parameters beyond one call, which Swift's temporary pointers don't allow; so keys are
// built in C.
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>

// Returns the public key of a kind that the parameters describe, or NULL. Frees the builder.
static inline EVP_PKEY *tern_public_key(const char *kind, OSSL_PARAM_BLD *builder) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM *parameters = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
  if (!parameters || !context || EVP_PKEY_fromdata_init(context) != 1 ||
      EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1)
    key = NULL;
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(parameters);
  OSSL_PARAM_BLD_free(builder);
  return key;
}

// Returns an RSA key from its modulus and exponent, both big-endian, or NULL.
static inline EVP_PKEY *tern_rsa_public_key(const unsigned char *n, int n_length, const unsigned char *e, int e_length) {
  EVP_PKEY *key = NULL;
  BIGNUM *modulus = BN_bin2bn(n, n_length, NULL);
  BIGNUM *exponent = BN_bin2bn(e, e_length, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (modulus && exponent && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, modulus) == 1 &&
      OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, exponent) == 1)
    key = tern_public_key("RSA", builder);
  else
    OSSL_PARAM_BLD_free(builder);
  BN_free(modulus);
  BN_free(exponent);
  return key;
}

// Returns an elliptic key from the name of its curve and its uncompressed point (X9.62), or NULL if the point isn't on the curve.
static inline EVP_PKEY *tern_ec_public_key(const char *curve, const unsigned char *point, size_t length) {
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  if (!builder) return NULL;
  if (OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, curve, 0) != 1 ||
      OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, length) != 1) {
    OSSL_PARAM_BLD_free(builder);
    return NULL;
  }
  return tern_public_key("EC", builder);
}

// Writes an ECDSA signature of two numbers of the same length (RFC 7518 §3.4) in the form that OpenSSL verifies, and returns its
// length, or -1. The output has room for 2 × 66 bytes and their tags.
static inline int tern_ecdsa_signature(const unsigned char *raw, int half, unsigned char output[160]) {
  int length = -1;
  BIGNUM *r = BN_bin2bn(raw, half, NULL);
  BIGNUM *s = BN_bin2bn(raw + half, half, NULL);
  ECDSA_SIG *signature = ECDSA_SIG_new();
  if (r && s && signature && half <= 66 && ECDSA_SIG_set0(signature, r, s) == 1) {
    // The signature owns the numbers from here on.
    r = s = NULL;
    length = i2d_ECDSA_SIG(signature, &output);
  }
  BN_free(r);
  BN_free(s);
  ECDSA_SIG_free(signature);
  return length;
}
