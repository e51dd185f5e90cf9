import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Param, Post, Res } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../../auth/access.decorators.js';
import { ADMIN, type Principal } from '../../auth/principal.js';
import { ErrorValue } from '../../errors/error-value.js';
import { ApiErrors, BODY_ERRORS } from '../../openapi/api-errors.decorator.js';
import { TextPipe } from '../../resource/key.pipes.js';
import { ApiMade } from '../../resource/resource.decorators.js';
import { unknownResource } from '../../resource/resource-errors.js';
import {
  IssuedWebhookDto,
  NewWebhookDto,
  ResumeDto,
  WebhookDto,
  WebhookSecretDto,
} from './dto/webhook.dto.js';
import { changeNotKept } from '../changes/change-not-kept.js';
import { webhookRefused } from './webhook-refused.js';
import { WebhooksService } from './webhooks.service.js';

const ID = '5f0c9a1b2d3e';

/** The errors of operations on one webhook. */
const WEBHOOK_ERRORS = [ErrorValue.InvalidParameter, unknownResource('webhook', ID)] as const;

const WebhookId = new TextPipe(64);

const ApiWebhookId = ApiParam({
  name: 'id',
  description: 'The id of the webhook.',
  schema: { type: 'string', pattern: String.raw`^\w{1,64}$`, example: ID },
});

@ApiTags('webhooks')
@Controller('webhooks')
@RequireScope(ADMIN)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @ApiOperation({
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Returns the webhooks of all resources that the token may read. Changes nothing.',
  })
  @ApiOkResponse({ type: WebhookDto, isArray: true, description: 'The webhooks, oldest first.' })
  @ApiErrors()
  list(@Caller() caller: Principal): Promise<WebhookDto[]> {
    return this.webhooks.list(caller);
  }

  @Post()
  @ApiOperation({
    operationId: 'createWebhook',
    summary: 'Make a webhook',
    description:
      'Makes a webhook, to which the service sends the changes from now on, as long as the token is valid. A request that is repeated makes another one.',
  })
  @ApiMade(IssuedWebhookDto, 'The webhook is on disk. Its secret is shown this once.')
  @ApiErrors([...BODY_ERRORS, webhookRefused(), changeNotKept()])
  async create(
    @Body() newWebhook: NewWebhookDto,
    @Caller() caller: Principal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedWebhookDto> {
    const webhook = await this.webhooks.create(newWebhook, caller);
    response.location(`webhooks/${webhook.id}`);
    return webhook;
  }

  @Get(':id')
  @ApiOperation({
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    description: 'Returns what a webhook is, and how far it has got. Changes nothing.',
  })
  @ApiWebhookId
  @ApiOkResponse({ type: WebhookDto, description: 'The webhook.' })
  @ApiErrors(WEBHOOK_ERRORS)
  find(@Param('id', WebhookId) id: string, @Caller() caller: Principal): Promise<WebhookDto> {
    return this.webhooks.find(id, caller);
  }

  @Delete(':id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @ApiOperation({
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook. A request that is under way may still reach its receiver.',
  })
  @ApiWebhookId
  @ApiNoContentResponse({ description: 'The webhook is deleted, and that is on disk.' })
  @ApiErrors(WEBHOOK_ERRORS)
  remove(@Param('id', WebhookId) id: string, @Caller() caller: Principal): Promise<void> {
    return this.webhooks.remove(id, caller);
  }

  @Post(':id/resume')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'resumeWebhook',
    summary: 'Resume a webhook',
    description:
      'Continues a webhook, paused or not, after the change with a cursor, as long as the token of the request is valid.',
  })
  @ApiWebhookId
  @ApiOkResponse({ type: WebhookDto, description: 'The webhook continues there, and that is on disk.' })
  @ApiErrors([...BODY_ERRORS, ...WEBHOOK_ERRORS, changeNotKept()])
  resume(
    @Param('id', WebhookId) id: string,
    @Body() resume: ResumeDto,
    @Caller() caller: Principal,
  ): Promise<WebhookDto> {
    return this.webhooks.resume(id, resume, caller);
  }

  @Post(':id/rotate')
  @HttpCode(HttpStatus.OK)
  @ApiOperation({
    operationId: 'rotateWebhook',
    summary: 'Give a webhook a new secret',
    description: 'Makes another secret for a webhook. The one before signs too for a day.',
  })
  @ApiWebhookId
  @ApiOkResponse({ type: WebhookSecretDto, description: 'The new secret, which is shown this once.' })
  @ApiErrors([...WEBHOOK_ERRORS, webhookRefused()])
  rotate(@Param('id', WebhookId) id: string, @Caller() caller: Principal): Promise<WebhookSecretDto> {
    return this.webhooks.rotate(id, caller);
  }
}
