import { describe, expect, test } from 'vitest';
import { parseTraceparent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const CONTEXT = { traceId: TRACE, parentSpanId: SPAN };

describe('a traceparent', () => {
  test.for([
    ['of version 00', `00-${TRACE}-${SPAN}-01`, CONTEXT],
    ['of a later version', `cc-${TRACE}-${SPAN}-01`, CONTEXT],
    ['of a later version with more fields', `cc-${TRACE}-${SPAN}-01-more`, CONTEXT],
    ['of version 00 with more fields', `00-${TRACE}-${SPAN}-01-more`, undefined],
    ['of a later version with more digits', `cc-${TRACE}-${SPAN}-01ff`, undefined],
    ['of the version that is invalid', `ff-${TRACE}-${SPAN}-01`, undefined],
    ['in capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
    ['without a trace', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
    ['without a span', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
    ['that is cut off', `00-${TRACE}-${SPAN}`, undefined],
    ['that came twice', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, undefined],
    ['that is absent', undefined, undefined],
  ] as const)('%s is taken or left', ([, header, context]) => {
    expect(parseTraceparent(header)).toEqual(context);
  });
});
