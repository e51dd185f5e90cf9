import { type DynamicModule, Module } from '@nestjs/common';
import { AuthModule } from './auth/auth.module.js';
import { ConfigModule } from './config/config.module.js';
import type { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { HttpModule } from './http/http.module.js';
import { PlantsModule } from './plants/plants.module.js';

/** What the service is made of. */
@Module({})
export class AppModule {
  static forRoot(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot(settings),
        DatabaseModule.forRoot(settings),
        // Before HttpModule: guards run in this order, and nobody's body is read without a token.
        AuthModule,
        HttpModule,
        HealthModule,
        PlantsModule,
      ],
    };
  }
}
