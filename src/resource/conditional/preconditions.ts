import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { ApiException } from '../../errors/api.exception.js';
import { ErrorValue } from '../../errors/error-value.js';

/** An entity tag (RFC 9110, section 8.8.3). */
const TAG = '(W/)?["][!#-~\\u0080-\\u00ff]*["]';

/**
 * What `If-Match` and `If-None-Match` may be: `*`, or a list of entity tags, perhaps with empty elements (RFC 9110, sections 13.1
 * and 5.6.1.2). The contract has it as a `pattern`, so it uses nothing that testers of contracts read in their own way.
 */
export const CONDITION = new RegExp(`^(\\*|[ \t,]*${TAG}([ \t]*,[ \t,]*${TAG})*[ \t,]*)$`);

/** What a client asks of the resource before it is changed. */
export interface Preconditions {
  /** Strong entity tags of which it has to have one, without their quotes; `*` when it only has to exist. */
  readonly ifMatch: readonly string[] | '*' | undefined;
  /** It must not exist. */
  readonly mustNotExist: boolean;
}

/** The preconditions of a request that changes a resource; only `*` makes sense there as `If-None-Match`. */
export const ReadPreconditions = createParamDecorator(
  (_: unknown, context: ExecutionContext): Preconditions => {
    const request = context.switchToHttp().getRequest<Request>();
    const ifNoneMatch = tagsOf(request, 'If-None-Match');
    if (ifNoneMatch !== undefined && ifNoneMatch !== '*') throw invalid('If-None-Match', 'must be *');
    return { ifMatch: strongTagsOf(request), mustNotExist: ifNoneMatch === '*' };
  },
);

/** Whether a resource that a client reads is one of those that it asks for (RFC 9110, section 13.1.1). */
export function isWanted(request: Request, entityTag: string): boolean {
  const wanted = strongTagsOf(request);
  return wanted === undefined || wanted === '*' || wanted.includes(entityTag);
}

/** Whether a client has this representation already, so that a read need not send it (RFC 9110, section 13.1.2). */
export function isKnown(request: Request, entityTag: string): boolean {
  const known = tagsOf(request, 'If-None-Match');
  return known === '*' || known?.some((tag) => opaque(tag) === entityTag) === true;
}

/** Weak tags never match here. */
function strongTagsOf(request: Request): readonly string[] | '*' | undefined {
  const tags = tagsOf(request, 'If-Match');
  return Array.isArray(tags) ? tags.filter((tag) => !tag.startsWith('W/')).map(opaque) : tags;
}

function tagsOf(request: Request, name: 'If-Match' | 'If-None-Match'): readonly string[] | '*' | undefined {
  const value = request.get(name)?.trim();
  if (value === undefined || value === '*') return value;
  if (!CONDITION.test(value)) throw invalid(name, 'must be * or a list of entity tags in quotes');
  return value.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function opaque(tag: string): string {
  return tag.slice(tag.indexOf('"') + 1, -1);
}

function invalid(name: string, problem: string): ApiException {
  return new ApiException(ErrorValue.InvalidParameter, `A parameter is not valid: ${name} ${problem}.`);
}
