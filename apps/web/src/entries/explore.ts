/** The script of /explore. */
import { hydratePage } from '../client/hydrate.tsx';
import { Explore } from '../explore/explore.tsx';

hydratePage('explore', Explore);
