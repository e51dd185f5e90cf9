/** The syntax of a bearer token (`token68`, RFC 9110 section 11.2). */
export const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The form of the tokens that the service makes, which are too random to be guessed. */
export const ISSUED = /^pst_[0-9A-Za-z]{38}$/;

/** The form of a signed JWT: header, claims and signature in base64url (RFC 7515 section 7.1). `eyJ` begins a JSON object. */
export const JWT = /^eyJ[\w-]*\.[\w-]*\.[\w-]*$/;
