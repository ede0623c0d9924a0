/** Uploaded files: `file:{id}`, one hash each, written by the upload route only. */
import { type RedisPort, toFields } from '../redis.ts';

export interface StoredFile {
  id: string;
  owner: string;
  /** Path the run's workspace shows it under, unless two files of a run share it. */
  name: string;
  bytes: number;
  mediaType: string;
  /** R2 key. */
  object: string;
  /** Unix milliseconds. */
  createdAt: number;
}

export interface FileStore {
  saveFile(file: StoredFile): Promise<void>;
  loadFile(id: string): Promise<StoredFile | null>;
  deleteFile(id: string): Promise<void>;
}

export function createFileStore(redis: RedisPort): FileStore {
  return {
    async saveFile(file) {
      const { id, ...fields } = file;
      const flat = Object.entries(fields).flatMap(([name, value]) => [name, String(value)]);
      await redis.command('HSET', `file:${id}`, ...flat);
    },

    async loadFile(id) {
      const fields = toFields(await redis.command('HGETALL', `file:${id}`));
      if (fields.size === 0) return null;
      return {
        id,
        owner: fields.get('owner') ?? '',
        name: fields.get('name') ?? '',
        bytes: Number(fields.get('bytes') ?? 0),
        mediaType: fields.get('mediaType') ?? '',
        object: fields.get('object') ?? '',
        createdAt: Number(fields.get('createdAt') ?? 0),
      };
    },

    async deleteFile(id) {
      await redis.command('DEL', `file:${id}`);
    },
  };
}
