import { ErrorValue } from '../../errors/error-value.js';

/** What Node says of bytes that are no request: a code, and for what its parser refused the bytes and the place in them. */
export interface ConnectionError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** The code of a request that did not arrive in time. */
export const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** A request line (RFC 9112, section 3) with any method; Node's parser knows only those that are registered. */
const REQUEST_LINE = /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r?\n/;

/** The error value and the message for what Node refused on a connection. */
export function refusalOf(error: ConnectionError): [ErrorValue, string] {
  if (error.code === REQUEST_TIMEOUT) return requestTimeout();
  if (error.code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (error.code === 'HPE_INVALID_METHOD' && hasRequestLine(error)) return notImplemented();
  return [ErrorValue.MalformedRequest, 'The message is not valid HTTP/1.1.'];
}

/** What a request is answered of which a part did not come in time. */
export function requestTimeout(): [ErrorValue, string] {
  return [ErrorValue.RequestTimeout, 'The request did not arrive in time.'];
}

/** What a request is answered whose headers are longer than Node reads, or too many. */
export function headersTooLarge(): [ErrorValue, string] {
  return [ErrorValue.HeadersTooLarge, 'The header section is too large.'];
}

/** What an unknown method is answered, on any path (RFC 9110, section 15.6.2). */
export function notImplemented(): [ErrorValue, string] {
  return [ErrorValue.NotImplemented, 'The service implements no such method.'];
}

/** What a connection is answered beyond those that may be open. */
export function tooManyConnections(): [ErrorValue, string] {
  return [ErrorValue.Unavailable, 'Too many connections are open.'];
}

/** Whether the parser stopped in a request line, and not in something else. */
function hasRequestLine({ rawPacket, bytesParsed = 0 }: ConnectionError): boolean {
  if (rawPacket === undefined) return false;
  const start = rawPacket.lastIndexOf('\n', Math.max(0, bytesParsed - 1)) + 1;
  return REQUEST_LINE.test(rawPacket.toString('latin1', start, start + 16_384));
}
