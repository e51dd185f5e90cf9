import { promisify } from 'node:util';
import {
  BadRequestException,
  Controller,
  Module,
  Post,
  Req,
  Res,
  UploadedFile,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-express';
import { ApiExcludeController } from '@nestjs/swagger';
import { raw, type Request, type Response } from 'express';
import { RequireScope } from '../../../src/kernel/auth/access.decorators.js';

const readRaw = raw({ type: 'image/png', limit: '50mb' });

/** Bodies that are read by others than the service. */
@ApiExcludeController()
@Controller('uploads')
class UploadsController {
  @Post('multer')
  @RequireScope('photos:write')
  @UseInterceptors(FileInterceptor('photo'))
  multer(@UploadedFile() { size }: { size: number }) {
    return { size };
  }

  @Post('raw')
  @RequireScope('photos:write')
  async raw(@Req() request: Request, @Res({ passthrough: true }) response: Response) {
    await promisify(readRaw)(request, response);
    return { size: (request.body as Buffer).length };
  }

  @Post('unwanted')
  @RequireScope('photos:write')
  unwanted(@Req() request: Request): never {
    request.on('data', () => undefined);
    throw new BadRequestException();
  }
}

@Module({ controllers: [UploadsController] })
export class UploadsModule {
  static readonly tag = { name: 'uploads', description: 'Bodies that are read by Multer and Express.' };
}
