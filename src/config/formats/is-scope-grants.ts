import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';

/** A scope that tokens of an identity provider have if one of their claims has a value. */
export interface ScopeGrant {
  /** Name of the claim; of one inside of another, the names with dots between them. */
  readonly claim: string;
  readonly value: string;
  readonly scope: string;
}

/** Claim, value and scope; the value may have a `=` of its own. */
const GRANT = /^(?<claim>[^\s=]+)=(?<value>.+)=(?<scope>[^\s=]+)$/;

/** Accepts `claim=value=scope` with commas between them, and makes a list of grants. */
export function IsScopeGrants(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: string }) => value.split(',').map(toGrant)),
    ValidateBy({
      name: 'isScopeGrants',
      validator: {
        validate: (grants: readonly unknown[]) => !grants.includes(undefined),
        defaultMessage: (context) =>
          '$property must be claim=value=scope with commas between them, as in groups=/gardeners=plants:write; ' +
          `number ${indexOfWrong(context?.value as readonly unknown[]) + 1} is not`,
      },
    }),
  );
}

function indexOfWrong(grants: readonly unknown[]): number {
  return grants.indexOf(undefined);
}

function toGrant(text: string): ScopeGrant | undefined {
  return GRANT.exec(text.trim())?.groups as ScopeGrant | undefined;
}
