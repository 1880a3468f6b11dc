'use strict';

const fs = require('fs');
const { join, resolve: absolute } = require("path");
var legacy = 1, other;
let counter = 0;

/**
 * A thing to draw.
 */
class Mesh extends Object3D {

	static count = 0;
	#hidden = false;

	constructor( geometry = new Geometry(), material ) {

		super();
		this.isMesh = true;
		this.type = 'Mesh';
		this.geometry = geometry;
		this.material = material;
		this.updateTargets();

	}

	copy( source, recursive ) {

		super.copy( source, recursive );
		if ( source.targets !== undefined ) {

			this.targets = source.targets.slice();

		}
		this.x = source.x;
		this.y = source.y;
		return this;

	}

	async load( url ) {

		const response = await fetch( url );
		if ( ! response.ok ) throw new Error( 'THREE.Mesh: ' + url );
		return await response.json();

	}

	dispose( force ) {

		this.parent.remove( this, force );

	}

	get visible() { return ! this.#hidden; }

	set visible( value ) { this.#hidden = ! value; }

}

function* ids( start ) {
	while ( true ) yield start ++;
}

async function main() {
	const scene = new Scene();
	scene.add( new Mesh(), new Mesh( null, 'red' ), /* the light */ new Light( 0xffffff, 1.0, ) );
	for ( let i = 0, il = scene.children.length; i < il; i ++ ) {
		console.log( scene.children[ i ], i );
	}
	for ( const key in scene ) console.log( key );
	for ( const child of scene.children ) {
		child.traverse( function ( object ) {
			if ( object.isMesh === true && object.visible ) object.dispose();
		} );
	}
	const { x, y: height, ...rest } = scene.position;
	const [ a, , b = 2 ] = [ 1, 2, 3 ];
	scene.position.set( x, height, a || b );
	const add = ( p, q ) => p + q, twice = n => n * 2;
	add( a, a );
	add( 1, 2 ) === add( 1, 2 );
	foo( 1, 2, 3 ); foo( 1 ); foo(); foo( ...rest ); foo( a, b, b ); foo( 'größe', x?.y?.( 1 ) );
	foo( // first
		a,
		b // last
	);
	delete scene.userData;
	typeof x === 'undefined' ? void 0 : x ** 2;
	do { counter += 1; } while ( counter < 10 );
	switch ( counter ) {
		case 1:
		case 2:
			break;
		default:
			counter = counter;
	}
	label: try {
		await scene.load( `models/${ counter }.gltf` );
	} catch {
		return;
	} finally {
		console.error( 'done' );
	}
	return { scene, add, 'total': counter, [ counter ]: 1, run() {}, ...rest };
}

module.exports = { Mesh, main };
module.exports.default = Mesh;
