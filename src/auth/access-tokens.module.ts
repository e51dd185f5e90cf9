import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessToken } from './access-token.entity.js';
import { AccessTokensService } from './access-tokens.service.js';

/** The access tokens themselves, for the service and for the command line. */
@Module({
  imports: [TypeOrmModule.forFeature([AccessToken])],
  providers: [AccessTokensService],
  exports: [AccessTokensService],
})
export class AccessTokensModule {}
