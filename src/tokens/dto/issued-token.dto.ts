import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { TokenDto } from './token.dto.js';

/** A new access token: the only time that anybody sees its secret. */
@ApiSchema({ name: 'IssuedToken', description: 'A new access token, with its secret.' })
export class IssuedTokenDto extends TokenDto {
  @ApiProperty({ description: 'What a client sends as its access token. It is not shown again.' })
  secret: string;
}
