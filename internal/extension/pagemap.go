package extension

import (
	"github.com/seed-322c453a/sitemap"
	"github.com/seed-322c453a/sitemap/internal/namespace"
)

// pageMap reads Google's PageMap:
//
//	<PageMap xmlns="http://www.google.com/schemas/sitemap-pagemap/1.0">
//	  <DataObject type="document" id="hibachi">
//	    <Attribute name="name">Dragon</Attribute> <Attribute name="rating" value="3.5"/>
//	  </DataObject>
//	</PageMap>
func (d *Decoder) pageMap() {
	switch string(d.r.Local()) {
	case "pagemap":
		for depth := d.r.Depth(); d.r.Child(depth); {
			if d.isPart(namespace.PageMap) && string(d.r.Local()) == "dataobject" {
				d.dataObject()
			}
		}
	case "dataobject":
		d.dataObject()
	default:
		d.bad(d.here(), "PageMap", d.r.Raw())
	}
}

func (d *Decoder) dataObject() {
	pos := d.here()
	if d.objects.len() == MaxRecords {
		d.overflow("DataObject")
		return
	}
	o := d.newObject()
	for depth := d.r.Depth(); d.r.Child(depth); {
		switch {
		case !d.isPart(namespace.PageMap):
		case string(d.r.Local()) == "attribute":
			d.objectAttribute()
		case string(d.r.Local()) == "dataobject": // the current one is unclosed
			d.r.Leave(depth)
		}
	}
	d.addObject(o, pos)
}

// newObject returns the DataObject of the current start tag.
func (d *Decoder) newObject() sitemap.DataObject {
	return sitemap.DataObject{Type: d.name(d.attrText("type")),
		ID: d.attrString("id", "DataObject")}
}

// addObject adds a DataObject with the attributes that were read.
func (d *Decoder) addObject(o sitemap.DataObject, pos sitemap.Position) {
	o.Attributes = d.attributes.take()
	if o.Type == "" && o.ID == "" && len(o.Attributes) == 0 {
		d.bad(pos, "DataObject", nil)
		return
	}
	*d.objects.next() = o
}

// objectAttribute reads an attribute of a DataObject. Its value is its text or an XML attribute.
func (d *Decoder) objectAttribute() {
	if d.attributes.len() == MaxRecords {
		d.overflow("Attribute")
		return
	}
	a := sitemap.Attribute{Name: d.name(d.attrText("name")),
		Value: d.attrString("value", "Attribute")}
	v := d.value("Attribute")
	if a.Value == "" {
		a.Value = d.string(v)
	}
	if a.Name == "" {
		d.bad(d.pos(v), v.field, []byte(a.Value))
		return
	}
	*d.attributes.next() = a
}
