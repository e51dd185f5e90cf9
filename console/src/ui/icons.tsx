import type { IconNode } from 'lucide';
import { h } from 'preact';
import styles from './icons.module.css';

// By what they stand for: a page has the same drawing for the same thing.
export {
  Activity as ActivityIcon,
  ArrowDown as DownIcon,
  ArrowUp as UpIcon,
  BookOpen as ReferenceIcon,
  ArrowUpDown as TransferIcon,
  ChevronDown as ChevronDownIcon,
  ChevronLeft as ChevronLeftIcon,
  ChevronRight as ChevronRightIcon,
  ChevronsLeft as FirstIcon,
  CircleCheck as OkIcon,
  CirclePause as PausedIcon,
  CirclePlay as ResumeIcon,
  CircleX as FailedIcon,
  Copy as CopyIcon,
  Download as ExportIcon,
  ExternalLink as ExternalIcon,
  FileUp as FileIcon,
  Gauge as OverviewIcon,
  Key as TokenIcon,
  Leaf as PlantIcon,
  LogOut as SignOutIcon,
  Monitor as SystemIcon,
  Moon as DarkIcon,
  Pencil as ChangedIcon,
  Plus as CreatedIcon,
  RefreshCw as RefreshIcon,
  RotateCcw as UndoIcon,
  Search as SearchIcon,
  Send as SendIcon,
  Sun as LightIcon,
  Tag as TagIcon,
  Terminal as CommandIcon,
  Trash2 as DeletedIcon,
  TriangleAlert as WarningIcon,
  Upload as ImportIcon,
  User as UserIcon,
  Webhook as WebhookIcon,
  X as CloseIcon,
} from 'lucide';

/** A drawing as high as the letters beside it. It says nothing that is not beside it, or in the label of its button. */
export function Icon({ of }: { readonly of: IconNode }) {
  return (
    <svg class={styles['icon']} viewBox="0 0 24 24" aria-hidden="true">
      {of.map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
