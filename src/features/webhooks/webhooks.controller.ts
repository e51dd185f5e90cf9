import { Body, Controller, Delete, Get, HttpStatus, Patch, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Caller, RequireScope } from '../../kernel/auth/access.decorators.js';
import { ADMIN, type Principal } from '../../kernel/auth/principal.js';
import { ErrorValue } from '../../kernel/errors/error-value.js';
import { BODY_ERRORS } from '../../kernel/openapi/api-errors.decorator.js';
import { Endpoint } from '../../kernel/openapi/endpoint.decorator.js';
import { MadeId, MADE_ID, madeResponse } from '../../kernel/resource/resource.decorators.js';
import { unknownResource } from '../../kernel/resource/resource-errors.js';
import {
  IssuedWebhookDto,
  NewWebhookDto,
  ResumeDto,
  WebhookAddressDto,
  WebhookDeliveryDto,
  WebhookDto,
  WebhookSecretDto,
} from './dto/webhook.dto.js';
import { MAX_DELIVERIES } from './delivery.js';
import { changeNotKept } from '../changes/change-feed.js';
import { webhookRefused, WebhooksService } from './webhooks.service.js';

/** The errors of operations on one webhook. */
const WEBHOOK_ERRORS = [ErrorValue.InvalidParameter, unknownResource('webhook', MADE_ID)] as const;

@ApiTags('webhooks')
@Controller('webhooks')
@RequireScope(ADMIN)
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @Endpoint({
    id: 'listWebhooks',
    summary: 'List webhooks',
    description: 'Returns the webhooks of all resources that the token may read. Changes nothing.',
    returns: { type: WebhookDto, isArray: true, description: 'The webhooks, oldest first.' },
  })
  list(@Caller() caller: Principal): Promise<WebhookDto[]> {
    return this.webhooks.list(caller);
  }

  @Post()
  @Endpoint({
    id: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'Makes a webhook, to which the service sends the changes from now on, as long as the token is valid. A repeated request makes another one.',
    returns: madeResponse(IssuedWebhookDto, 'The webhook is on disk. Only this response shows the secret.'),
    errors: [...BODY_ERRORS, webhookRefused(), changeNotKept()],
  })
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
  @Endpoint({
    id: 'getWebhook',
    summary: 'Read a webhook',
    description: 'Returns a webhook, its state and its progress. Changes nothing.',
    returns: { type: WebhookDto, description: 'The webhook.' },
    errors: WEBHOOK_ERRORS,
  })
  find(@MadeId('webhook') id: string, @Caller() caller: Principal): Promise<WebhookDto> {
    return this.webhooks.find(id, caller);
  }

  @Patch(':id')
  @Endpoint({
    id: 'moveWebhook',
    summary: 'Give a webhook another address',
    description:
      'Sends the changes after the cursor of the webhook to another address, with the same secret.',
    returns: { type: WebhookDto, description: 'The webhook has the address, and that is on disk.' },
    errors: [...BODY_ERRORS, ...WEBHOOK_ERRORS, webhookRefused()],
  })
  move(
    @MadeId('webhook') id: string,
    @Body() address: WebhookAddressDto,
    @Caller() caller: Principal,
  ): Promise<WebhookDto> {
    return this.webhooks.move(id, address, caller);
  }

  @Delete(':id')
  @Endpoint({
    id: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'Deletes a webhook. A request that is under way may still reach its receiver.',
    returns: { status: HttpStatus.NO_CONTENT, description: 'The webhook is deleted, and that is on disk.' },
    errors: WEBHOOK_ERRORS,
  })
  remove(@MadeId('webhook') id: string, @Caller() caller: Principal): Promise<void> {
    return this.webhooks.remove(id, caller);
  }

  @Get(':id/deliveries')
  @Endpoint({
    id: 'listDeliveries',
    summary: 'List the deliveries of a webhook',
    description: `Returns the last ${MAX_DELIVERIES} requests to the receiver of a webhook, with retries and tests. Changes nothing.`,
    returns: { type: WebhookDeliveryDto, isArray: true, description: 'The deliveries, newest first.' },
    errors: WEBHOOK_ERRORS,
  })
  deliveries(@MadeId('webhook') id: string, @Caller() caller: Principal): Promise<WebhookDeliveryDto[]> {
    return this.webhooks.deliveries(id, caller);
  }

  @Post(':id/test')
  @Endpoint({
    id: 'testWebhook',
    summary: 'Send a test to the receiver of a webhook',
    description:
      'Sends a request without changes, whether the webhook is paused or not. A failure does not count for the webhook, and is not repeated.',
    returns: { type: WebhookDeliveryDto, description: 'The request, and how the receiver responded.' },
    errors: [...WEBHOOK_ERRORS, webhookRefused()],
  })
  test(@MadeId('webhook') id: string, @Caller() caller: Principal): Promise<WebhookDeliveryDto> {
    return this.webhooks.test(id, caller);
  }

  @Post(':id/pause')
  @Endpoint({
    id: 'pauseWebhook',
    summary: 'Pause a webhook',
    description:
      'Sends nothing to the receiver until the webhook is resumed. A request that is under way may still reach it.',
    returns: { type: WebhookDto, description: 'The webhook is paused, and that is on disk.' },
    errors: WEBHOOK_ERRORS,
  })
  pause(@MadeId('webhook') id: string, @Caller() caller: Principal): Promise<WebhookDto> {
    return this.webhooks.pause(id, caller);
  }

  @Post(':id/resume')
  @Endpoint({
    id: 'resumeWebhook',
    summary: 'Resume a webhook',
    description:
      'Continues a webhook, paused or not, after the given change, as long as the token of the request is valid.',
    returns: { type: WebhookDto, description: 'The webhook continues there, and that is on disk.' },
    errors: [...BODY_ERRORS, ...WEBHOOK_ERRORS, changeNotKept()],
  })
  resume(
    @MadeId('webhook') id: string,
    @Body() resume: ResumeDto,
    @Caller() caller: Principal,
  ): Promise<WebhookDto> {
    return this.webhooks.resume(id, resume, caller);
  }

  @Post(':id/rotate')
  @Endpoint({
    id: 'rotateWebhook',
    summary: 'Give a webhook a new secret',
    description: 'Makes a new secret for a webhook. For a day, the previous secret signs as well.',
    returns: { type: WebhookSecretDto, description: 'The new secret, which is not shown again.' },
    errors: [...WEBHOOK_ERRORS, webhookRefused()],
  })
  rotate(@MadeId('webhook') id: string, @Caller() caller: Principal): Promise<WebhookSecretDto> {
    return this.webhooks.rotate(id, caller);
  }
}
