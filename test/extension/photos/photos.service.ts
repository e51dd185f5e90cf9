import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type Repository } from 'typeorm';
import { ApiException } from '../../../src/kernel/errors/api.exception.js';
import { ErrorValue } from '../../../src/kernel/errors/error-value.js';
import { Photo, PhotoPart } from './photo.entity.js';

/** Bytes of a photo at most, and of each of its parts but the last at least. */
const MAX_BYTES = 5 * 2 ** 20;
const PART_BYTES = 131_072;

/** Stores photos in parts: nobody else waits while 5 MiB are written, and no photo is in memory as a whole. */
@Injectable()
export class PhotosService {
  constructor(
    @InjectRepository(Photo) private readonly photos: Repository<Photo>,
    @InjectRepository(PhotoPart) private readonly parts: Repository<PhotoPart>,
  ) {}

  /** Stores the photo of a plant in place of the one before. @throws ApiException 40401 without the plant, 41300 */
  async put(plant: bigint, type: string, body: AsyncIterable<Buffer>): Promise<void> {
    const photo = randomUUID();
    await this.photos.insert({ id: photo, plant, type, size: null });
    try {
      let [number, size, part] = [0, 0, Buffer.alloc(0)];
      const store = async () => this.parts.insert({ photo, number: number++, bytes: part });
      for await (const bytes of body) {
        size += bytes.length;
        if (size > MAX_BYTES) throw new ApiException(ErrorValue.BodyTooLarge, 'A photo has at most 5 MiB.');
        part = Buffer.concat([part, bytes]);
        if (part.length < PART_BYTES) continue;
        await store();
        part = Buffer.alloc(0);
      }
      if (part.length > 0) await store();
      await this.photos.update({ id: photo }, { size });
    } catch (error) {
      await this.photos.delete({ id: photo });
      throw error;
    }
    // The one before, and what a crash has left.
    await this.photos.delete({ plant, id: Not(photo) });
  }

  /** @throws EntityNotFoundError, which becomes 404, when the plant has no photo. */
  async find(plant: bigint): Promise<Photo> {
    return this.photos.findOneByOrFail({ plant, size: Not(IsNull()) });
  }

  async *read({ id, size }: Photo): AsyncGenerator<Buffer, void> {
    let number = 0;
    for (let rest = size ?? 0; rest > 0; number += 1) {
      const { bytes } = await this.parts.findOneByOrFail({ photo: id, number });
      yield bytes;
      rest -= bytes.length;
    }
  }
}
